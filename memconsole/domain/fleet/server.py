"""Reads the address of a fleet's PostgreSQL, and refuses one which can be listened to.

Only a socket and the loopback interface go without TLS. Everywhere else the server must prove its
name (`verify-full`): `require` encrypts and believes whoever answers.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from memconsole.text.address import parse
from memconsole.text.compiled import compiled

USUAL_PORT: Final = 5432
VERIFIED: Final = "verify-full"

_FILES = ("sslrootcert", "sslcert", "sslkey")
_OPTIONS = frozenset({"sslmode", "host", *_FILES})
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}"


class ServerAddress(NamedTuple):
    """Where a fleet's PostgreSQL is reached, and as whom.

    Attributes:
        host: Name, IP address, or the folder of a socket.
        user: Role; empty for the one that libpq chooses.
        mode: `sslmode` of libpq.
        files: (option, path) of certificates and keys, as libpq names them.
    """

    host: str
    port: int
    database: str
    user: str = ""
    mode: str = VERIFIED
    files: tuple[tuple[str, str], ...] = ()

    @property
    def is_here(self) -> bool:
        """Whether nobody can listen on the way."""
        return (
            self.host.startswith("/") or parse(f"postgresql://{self._host}", *_SCHEMES).is_loopback
        )

    @property
    def text(self) -> str:
        """The address to show."""
        user = f"{self.user}@" if self.user else ""
        if self.host.startswith("/"):
            return f"postgresql://{user}/{self.database}?host={self.host}"
        port = "" if self.port == USUAL_PORT else f":{self.port}"
        return f"postgresql://{user}{self._host}{port}/{self.database}"

    @property
    def whole(self) -> str:
        """The address with its options, as it may be given again."""
        mode = () if self.mode == _usual_mode(is_here=self.is_here) else (("sslmode", self.mode),)
        options = "&".join(f"{name}={value}" for name, value in (*mode, *self.files))
        return self.text + (f"{'&' if '?' in self.text else '?'}{options}" if options else "")

    @property
    def _host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


_SCHEMES = ("postgresql", "postgres")


def parse_server(text: str) -> ServerAddress:
    """Return the parts of `postgresql://[USER@]HOST[:PORT]/DATABASE[?sslmode=…]`.

    Raises:
        ValueError: It is written in another way, holds a password, or is not safe on the way; the
            text is not repeated.
    """
    folder = text.strip().partition("?")[2]
    found = parse(_with_a_host(text), *_SCHEMES)
    user, _, password = found.user.partition(":")
    if password:
        raise ValueError("must hold no password: it stands in PGPASSWORD or a file of mode 0600")
    options = dict(parse_qsl(found.query, keep_blank_values=True))
    if unknown := sorted(options.keys() - _OPTIONS):
        raise ValueError(f"has the option {unknown[0]!r}; known: {', '.join(sorted(_OPTIONS))}")
    if "host" in options and not _has_no_host(text):
        raise ValueError("has a host and the option host; one of the two names the server")
    host = options.get("host", "") if _has_no_host(text) else found.host
    if _has_no_host(text) and not (folder and host.startswith("/")):
        raise ValueError("must name a host, or the folder of a socket as ?host=/run/postgresql")
    if "," in host:
        raise ValueError("must name one server")
    name, role = unquote(found.path.removeprefix("/")), unquote(user)
    if not compiled(_NAME).fullmatch(name) or (role and not compiled(_NAME).fullmatch(role)):
        raise ValueError("must look like postgresql://role@host:5432/fleet")
    files = tuple((one, options[one]) for one in _FILES if options.get(one))
    made = ServerAddress(host, found.port or USUAL_PORT, name, role, files=files)
    mode = options.get("sslmode", _usual_mode(is_here=made.is_here))
    if mode != VERIFIED and not made.is_here:
        raise ValueError(f"must have sslmode={VERIFIED}: {mode} believes whoever answers")
    return made._replace(mode=mode)


def _usual_mode(*, is_here: bool) -> str:
    return "prefer" if is_here else VERIFIED


def _has_no_host(text: str) -> bool:
    """Tell whether an address names no host before its path, as that of a socket."""
    rest = text.strip().partition("://")[2]
    return rest.partition("/")[0].rpartition("@")[2] == "" and rest != ""


def _with_a_host(text: str) -> str:
    """Return an address of a socket in the form that has a host."""
    if not _has_no_host(text):
        return text
    scheme, _, rest = text.strip().partition("://")
    before, _, path = rest.partition("/")
    return f"{scheme}://{before}localhost/{path}"
