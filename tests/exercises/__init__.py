"""Changes as somebody would make them, kept as text, and carried out in a copy of the repository."""
