"""Interactive queries: read replicas of an application's stores, shared out among instances that ask one another."""
