"""The query server: its paths, its settings, and what it checks of every request."""
