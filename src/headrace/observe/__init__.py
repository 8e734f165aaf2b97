"""Metrics of applications."""
