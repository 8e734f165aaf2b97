"""Compilation of a layout: from stages and native stretches to one DataFrame."""
