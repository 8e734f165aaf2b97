"""Stores: what operators remember."""
