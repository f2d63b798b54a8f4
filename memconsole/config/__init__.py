"""Loads settings: file, then environment, then flags."""
