"""The one SQLite library of the process, and how databases are opened.

Two copies of SQLite in one process break each other's locks, because closing any descriptor of a
file drops all of the process's locks on it. So the library is chosen once, at first use, and
nothing else imports one. For the same reason no code of ours opens a database file in any other
way while a connection to it may be open.
"""

from memconsole.adapters.sqlite.choice import (
    BUSY_TIMEOUT_S,
    Connection,
    Cursor,
    Library,
    Parameters,
    Row,
    SqlValue,
    library,
)
from memconsole.adapters.sqlite.own import keep_own, make_file, open_own, open_single, transaction
from memconsole.adapters.sqlite.read_only import (
    DatabaseChangedError,
    ReadOnlyDatabase,
    keep_open,
    open_platform,
    read_platform,
)
from memconsole.adapters.sqlite.stamp import Stamp, stamp_of
from memconsole.adapters.sqlite.ways import Copies

__all__ = [
    "BUSY_TIMEOUT_S",
    "Connection",
    "Copies",
    "Cursor",
    "DatabaseChangedError",
    "Library",
    "Parameters",
    "ReadOnlyDatabase",
    "Row",
    "SqlValue",
    "Stamp",
    "keep_open",
    "keep_own",
    "library",
    "make_file",
    "open_own",
    "open_platform",
    "open_single",
    "read_platform",
    "stamp_of",
    "transaction",
]
