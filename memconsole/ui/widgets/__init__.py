"""Widgets that draw from one value."""
