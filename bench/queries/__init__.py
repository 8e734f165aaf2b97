"""The benchmark of queries: what asks, each in a process of its own, and what is made of it."""
