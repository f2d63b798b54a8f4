"""`fleet`: the PostgreSQL that many hosts meet in."""
