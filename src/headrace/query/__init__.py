"""Interactive queries: read replicas of an application's stores, shared among its instances."""
