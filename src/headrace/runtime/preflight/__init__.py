"""Preflight: every check of a start that can refuse it."""
