"""Replicas of stores, copied from changelogs."""
