"""The spec of a stage: what the kernel is told, as data with a type."""
