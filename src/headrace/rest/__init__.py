"""Interactive queries over HTTP: the server, what it lets in, and a small client."""
