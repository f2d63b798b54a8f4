"""Looks at this host: disks, sizes, processes, locks."""
