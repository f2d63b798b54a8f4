"""Loads settings: file, then environment, then options.

`load(environ, file=…, options=…)` returns the domain's `Settings`. The table of keys is in `table`;
`show` prints it, and writes the commented file.
"""

from memconsole.config.load import config_path, load

__all__ = ["config_path", "load"]
