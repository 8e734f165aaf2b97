"""The meaning of every node, in pure Python: runs in the test driver."""
