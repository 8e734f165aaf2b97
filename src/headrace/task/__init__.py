"""Tasks in pure Python: the meaning of every node, run by the test driver and by the Python lane."""
