"""Rescaling: the state of an application on its way to another number of tasks."""
