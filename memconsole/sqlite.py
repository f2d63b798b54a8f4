"""The one SQLite library of this process (A4b)."""
