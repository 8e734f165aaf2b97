"""HTTP clients: of applications that run elsewhere, and of an application's other instances."""
