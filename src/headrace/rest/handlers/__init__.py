"""Handlers of requests, one file a subject."""
