"""Adapters for files and databases: session stores, workspaces, our own state."""
