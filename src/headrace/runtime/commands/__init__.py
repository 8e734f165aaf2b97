"""What commands do to an application that does not run: reset, adopt, dead letters, doctor."""
