"""Assembly of a plan: every check, name and node of a topology, for whatever front end declares it."""
