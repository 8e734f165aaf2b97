"""Formats that tests add: each a folder as one in `src/headrace/serde/` is, with its codec of the kernel beside it."""
