"""The checkpoint of an application: its directory, and the inventory of state in it."""
