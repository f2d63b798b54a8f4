"""Reads the address of another host, and refuses what could be taken for an option of ssh."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.agents import HomeRef

_FORM = (
    r"ssh://(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<home>/[A-Za-z0-9_.~/+@-]*)?"
)


class SshAddress(NamedTuple):
    """Where a home of another host is reached.

    Attributes:
        host: Name or IPv4 address, as OpenSSH takes it; it may be an alias of its configuration.
        user: Account there; empty for the one that OpenSSH chooses.
        port: None for the one that OpenSSH chooses.
        home: Absolute path of the platform's state folder there; empty for the usual one.
    """

    host: str
    user: str = ""
    port: int | None = None
    home: str = ""


def labels(homes: Sequence[HomeRef]) -> list[str]:
    """Return what each home is called by: its host, and what tells it from others of that host.

    Of several homes of one host that is the folder they lie in, else the whole path. Two servers
    may have a host of one name: a name that is taken gets a number.
    """
    hosts = Counter(one.host for one in homes)
    folders = Counter((one.host, _folder(one)) for one in homes)
    found: dict[str, None] = {}
    for one in homes:
        label, folder = one.host, _folder(one)
        if hosts[one.host] > 1:
            label = f"{label}:{folder if folders[one.host, folder] == 1 else one.path}"
        name, number = label, 2
        while name in found:
            name, number = f"{label}#{number}", number + 1
        found[name] = None
    return list(found)


def _folder(home: HomeRef) -> str:
    return PurePosixPath(home.path).parent.name


def parse(text: str) -> SshAddress:
    """Return the parts of `ssh://[USER@]HOST[:PORT][/HOME]`.

    Raises:
        ValueError: It is written in another way; says how it should be.
    """
    found = compiled(_FORM).fullmatch(text)
    port = None if found is None or found["port"] is None else int(found["port"])
    if found is None or (port is not None and not 0 < port < 65536):
        raise ValueError("must look like ssh://user@host:22/home/user/.openclaw")
    home = "" if found["home"] in (None, "/") else found["home"]
    return SshAddress(found["host"], found["user"] or "", port, home)
