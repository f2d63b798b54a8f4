"""Addresses of services: parsed once, and everything is decided on what was parsed.

A check on the text as it was written would be passed by `WS://`, by `ws://127.0.0.1@elsewhere` and
by whatever else a parser reads in another way than a comparison does.
"""

from __future__ import annotations

from dataclasses import field
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

_ENCRYPTED = frozenset({"https", "wss"})
_USUAL_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_HOST = r"[^\s/?#@\\\[\]<>\"^`{|}\x00-\x20\x7f]+"


@dataclass(frozen=True, slots=True)
class Address:
    """One address in its normal form.

    Attributes:
        scheme: In small letters.
        host: In small letters, without brackets; a zone behind `%`.
        port: None when none is named.
        path: As it was written.
        user: User and password before an `@`; a secret.
        query: Behind a `?`; may hold a secret.
    """

    scheme: str
    host: str
    port: int | None = None
    path: str = ""
    user: str = field(default="", repr=False)
    query: str = field(default="", repr=False)

    @property
    def is_encrypted(self) -> bool:
        """Whether what is sent there cannot be read on the way."""
        return self.scheme in _ENCRYPTED

    @property
    def is_loopback(self) -> bool:
        """Whether it stays on this host, by its name alone; a name that looks alike does not."""
        return self.host == "localhost" or is_loopback_host(self.host)

    @property
    def is_private(self) -> bool:
        """Whether a secret may be sent there: nobody on the way can read it."""
        return self.is_encrypted or self.is_loopback

    @property
    def real_port(self) -> int:
        """The port that is connected to."""
        return _USUAL_PORTS[self.scheme] if self.port is None else self.port

    @property
    def text(self) -> str:
        """The address to show and to keep: without user, password and query."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def whole(self) -> str:
        """The same with user, password and query; a secret."""
        start, found = f"{self.scheme}://", self.text
        user = f"{self.user}@" if self.user else ""
        query = f"?{self.query}" if self.query else ""
        return f"{start}{user}{found.removeprefix(start)}{query}"


def parse(text: str, *schemes: str) -> Address:
    """Read an address.

    Args:
        text: As somebody wrote it.
        schemes: Those that are allowed, in small letters.

    Raises:
        ValueError: It is none of these; what was written is not repeated, it may hold a secret.
    """
    named = " or ".join(f"{scheme}://" for scheme in schemes)
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, parts, port = "", urlsplit(""), None
    if parts.scheme not in schemes or parts.fragment or not _is_plain(text, host):
        raise ValueError(f"must be a {named} address")
    user, _, _ = parts.netloc.rpartition("@")
    host = host.replace("%25", "%", 1) if ":" in host else host
    return Address(parts.scheme, host, port, parts.path, user, parts.query)


def is_loopback_host(host: str) -> bool:
    """Tell whether an IP address in words leads to this host; a name never does."""
    try:
        found = ip_address(host)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped.is_loopback
    return found.is_loopback


def stays_here(text: str) -> bool:
    """Tell whether a text is the address of something on this host."""
    try:
        return parse(text, *_USUAL_PORTS).is_loopback
    except ValueError:
        return False


def is_any_host(host: str) -> bool:
    """Tell whether an IP address means every address of this host, as `0.0.0.0` does."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def is_same_host(one: Address, other: Address) -> bool:
    """Tell whether two addresses lead to one host, by their names alone."""
    return one.host == other.host or (one.is_loopback and other.is_loopback)


def _is_plain(text: str, host: str) -> bool:
    """Whether no parser can read another host in it: no blanks, controls or backslashes inside."""
    inner = text.strip()
    is_clean = "\\" not in inner and not any(one.isspace() or ord(one) < 33 for one in inner)
    return is_clean and compiled(_HOST).fullmatch(host) is not None
