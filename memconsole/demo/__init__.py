"""A platform home that nobody owns: generated, looked at, removed (`--demo`)."""
