"""Engines: what runs a plan stands behind one port, and is chosen by name."""
