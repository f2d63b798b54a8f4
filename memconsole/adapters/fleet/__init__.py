"""Asks the homes of a fleet: those of this host by a process each, others through ssh."""
