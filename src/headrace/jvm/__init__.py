"""The Java side of the machine: which Java, which jars, and the compiled kernel."""
