"""A home of another host, asked by the memconsole there through OpenSSH.

OpenSSH does what it is for: keys, known hosts, aliases, one kept connection a host. It asks nothing
(`BatchMode`), and what runs there is one quoted line.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from typing import TYPE_CHECKING

from memconsole.adapters.fleet.program import run
from memconsole.domain.agents import HomeRef
from memconsole.errors import SourceAwayError
from memconsole.system.launch import find_program
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta
    from pathlib import Path

    from memconsole.domain.fleet.address import SshAddress
    from memconsole.domain.fleet.wire import Heard

_OPTIONS = (
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ConnectTimeout=10",
    "ForwardAgent=no",
    "ForwardX11=no",
    "RemoteCommand=none",
    "ServerAliveInterval=10",
)
"""What an entry for people lends to a host, such as their agent, is not lent to it every 20 s."""
_KEPT = ("ControlMaster=auto", "ControlPersist=60")
_LONGEST_FOLDER = 68
"""A socket's path holds 104 bytes: the folder, 17 for the name and 18 while it is made."""
_PLAIN_FOLDER = r"[\w/.%+@:,=-]+"
"""A blank, a quote or a dollar means something in an option of ssh: no kept connection then."""
_ASKED = "MEMCONSOLE_ASKED=1"
"""What the other side asks is about its own home, whatever its settings say of a fleet."""

_VERSION = r"memconsole (\S{1,40})"
_BROKEN = 255
_NOT_FOUND = 127


class SshHome:
    """One home of another host.

    Args:
        address: Where it is.
        sockets: Folder of ours for the kept connections, readable by nobody else.
        timeout: For one command.
        is_of_several: Other accounts of that host are homes too, so the account is named.
    """

    def __init__(
        self,
        address: SshAddress,
        *,
        sockets: Path,
        timeout: timedelta,
        is_of_several: bool = False,
    ) -> None:
        account = f"~{address.user}" if is_of_several and address.user else ""
        self.home = HomeRef(address.home or account, address.host)
        self._address = address
        self._sockets = sockets
        self._timeout = timeout

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: Callable[[], None] | None = None,  # noqa: ARG002 - it waits for nobody
    ) -> Heard:
        """Run the command for this home on its host."""
        heard, complaint = run(self.call(words), self._timeout, text, stop)
        if heard.code == _BROKEN and not heard.text:
            last = (complaint.splitlines() or ["it gave no reason"])[-1]
            raise SourceAwayError(
                f"ssh: {last.removeprefix('ssh: ')}",
                hint=f"Try `{shlex.join(['ssh', *self._where()])}`; it must log in without asking.",
            )
        if heard.code == _NOT_FOUND and not heard.text:
            raise SourceAwayError(
                "memconsole is not in the PATH of a login without a terminal",
                hint="Install it there, or put a link to it into /usr/local/bin.",
            )
        first, _, rest = heard.text.partition(b"\n")
        said = compiled(_VERSION).fullmatch(first.decode("ascii", "replace"))
        return heard if said is None else heard._replace(text=rest, version=said[1])

    def call(self, words: Sequence[str]) -> list[str]:
        """Return the call of ssh: the host can be no option, the other side splits no word."""
        ssh = find_program("ssh")
        if ssh is None:
            raise SourceAwayError("there is no ssh here", hint="Install the client of OpenSSH.")
        address = self._address
        place = str(self._sockets).replace("%", "%%")
        kept = [*_KEPT, f"ControlPath={place}/{self._name}"]
        is_plain = compiled(_PLAIN_FOLDER).fullmatch(place) is not None
        kept = kept if is_plain and len(os.fsencode(place)) <= _LONGEST_FOLDER else []
        home = ["--home", address.home] if address.home else []
        said = ["--json", *words]
        return [
            ssh,
            "-T",
            *(word for option in (*_OPTIONS, *kept) for word in ("-o", option)),
            *self._where(),
            f"memconsole --version; {shlex.join(['env', _ASKED, 'memconsole', *home, *said])}",
        ]

    @property
    def _name(self) -> str:
        """The name of its socket.

        By the address as it is written: two aliases may lead to one server with keys that open
        two accounts, and one connection for both would act in the wrong one.
        """
        address = self._address
        words = f"{address.host}\0{address.user}\0{address.port}"
        return hashlib.sha256(words.encode()).hexdigest()[:16]

    def _where(self) -> list[str]:
        address = self._address
        user = ["-l", address.user] if address.user else []
        port = ["-p", str(address.port)] if address.port else []
        return [*user, *port, "--", address.host]
