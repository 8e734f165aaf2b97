"""Query service: an instance, its local answers, and routing to the other instances."""
