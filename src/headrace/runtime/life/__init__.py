"""The life of a running application: start, retries, supervision, end."""
