"""File watching."""
