"""Speaks to the platform's Gateway: asks for what it sees, and for resets; never more than that."""
