"""Our own configuration: `load` puts it together, `show` prints it, `table` lists the keys."""
