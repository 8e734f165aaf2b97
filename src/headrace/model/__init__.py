"""Plain values that everything else is made of."""
