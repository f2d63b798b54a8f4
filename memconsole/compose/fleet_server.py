"""Makes what speaks to a fleet's PostgreSQL; loaded by nobody else."""

from __future__ import annotations

import json
import os
import random
import secrets
import uuid
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.adapters.fleet.homes import LocalHome
from memconsole.adapters.fleet.postgres.chunks import erase_copy
from memconsole.adapters.fleet.postgres.connect import OTHERS, connect
from memconsole.adapters.fleet.postgres.copy import PostgresCopy
from memconsole.adapters.fleet.postgres.letterbox import PostgresLetters
from memconsole.adapters.fleet.postgres.membership import FOLDER, Membership, passwords_of
from memconsole.adapters.fleet.postgres.owner import (
    KNOWN,
    PostgresOwner,
    read_members,
    whole_script,
)
from memconsole.adapters.fleet.postgres.post import cancel, read_sent
from memconsole.adapters.fleet.postgres.search import SearchableCopy
from memconsole.adapters.fleet.postgres.source import PostgresFleet, PostgresHome, refused
from memconsole.adapters.fleet.postgres.watch import PostgresWatch
from memconsole.adapters.fleet.signing import Signer
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.adapters.platform.home import find_home
from memconsole.compose.process import user_home
from memconsole.compose.search import query_model
from memconsole.domain.fleet.address import labels
from memconsole.domain.fleet.letters import operator_of
from memconsole.domain.fleet.publishing import standing_of
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.published import Veil
from memconsole.engine.fleet.letters import Door, LetterWorker, what_became_of
from memconsole.engine.fleet.publishing import Publisher
from memconsole.engine.search.copied import CopySearch
from memconsole.errors import SourceAwayError, StateError
from memconsole.system.atomic_file import create_file
from memconsole.system.folders import open_state_folder

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.chunks import Shelf
    from memconsole.domain.fleet.letters import Letter, Sent
    from memconsole.domain.fleet.members import Member
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.published import Fact
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock

_PEERS = "peers.key"
_HOMES = "homes.json"
_STANDING = "standing.json"
_KEY = "operator.key"
_KEY_BYTES = 32
_LONGEST = timedelta(hours=1)
"""For one command of somebody afar."""

fleet_script = whole_script
__all__ = ["KNOWN", "fleet_hosts", "fleet_membership", "fleet_owner", "fleet_script"]


def fleet_owner(settings: Settings, address: ServerAddress) -> PostgresOwner:
    """Return the fleet as its owner sees it."""
    return PostgresOwner(address, passwords_of(settings.state_dir))


def fleet_membership(settings: Settings, address: ServerAddress) -> Membership:
    """Return the membership of this state folder."""
    return Membership(address, settings.state_dir)


def fleet_hosts(settings: Settings, address: ServerAddress) -> tuple[Member, ...]:
    """Return the hosts that the role of an address may see.

    Raises:
        SourceAwayError: The server is away, or does not let us.
    """
    with connect(address, passwords_of(settings.state_dir)) as connection:
        return read_members(connection)


def fleet_homes(settings: Settings, url: str) -> tuple[FleetSource, ...]:
    """Return the homes of a fleet that a role may see."""
    return PostgresFleet(
        parse_server(url),
        passwords_of(settings.state_dir),
        lambda: fleet_signer(settings),
        settings.fleet.timeout,
        within=settings.fleet.within,
    ).homes()


def fleet_watch(settings: Settings, url: str) -> PostgresWatch:
    """Return what looks at a fleet for as long as a console is open."""
    return PostgresWatch(
        parse_server(url),
        passwords_of(settings.state_dir),
        lambda: fleet_signer(settings),
        settings.fleet.timeout,
        within=settings.fleet.within,
    )


def fleet_search(settings: Settings, url: str, clock: Clock) -> CopySearch:
    """Return what searches the homes that publish in a server."""
    place = parse_server(url), passwords_of(settings.state_dir)
    return CopySearch(SearchableCopy(*place, query_model), clock, settings)


def copy_searches(
    settings: Settings, sources: Sequence[FleetSource], clock: Clock
) -> tuple[dict[CopySearch, dict[HomeRef, str]], tuple[FleetSource, ...]]:
    """Return what searches the homes that were copied to one place, and the others.

    Args:
        settings: Weights and limits.
        sources: The homes that are meant.
        clock: Ours.
    """
    named = labels([one.home for one in sources])
    copies: dict[PostgresFleet, dict[HomeRef, str]] = {}
    for one, label in zip(sources, named, strict=True):
        if isinstance(one, PostgresHome):
            copies.setdefault(one.fleet, {})[one.home] = label
    found = {
        CopySearch(SearchableCopy(*fleet.way, query_model), clock, settings): homes
        for fleet, homes in copies.items()
    }
    return found, tuple(one for one in sources if not isinstance(one, PostgresHome))


def fleet_signer(settings: Settings) -> Signer:
    """Return the key of this person, made when there is none.

    Raises:
        StateError: It can neither be read nor made.
    """
    return Signer(_kept(settings.state_dir, _KEY))


def fleet_sent(settings: Settings, address: ServerAddress, since: timedelta) -> list[Sent]:
    """Return the commands that a role may see, newest first.

    Raises:
        SourceAwayError: The server is away, or does not let us.
    """
    return read_sent(address, passwords_of(settings.state_dir), since)


def fleet_cancel(settings: Settings, address: ServerAddress, start: str, *, dry_run: bool) -> Sent:
    """Take back the command whose id begins so; returns it as it was.

    Raises:
        SourceAwayError: The server is away, or does not let us.
        FleetError: It is begun, or somebody else sent it.
        UsageError: There is none, or more than one.
    """
    return cancel(address, passwords_of(settings.state_dir), start, dry_run=dry_run)


def fleet_veil(settings: Settings) -> Veil:
    """Return what hides names that leave this host.

    Raises:
        StateError: Its key can neither be read nor made.
    """
    return Veil(_kept(settings.state_dir, _PEERS))


def _asked_at_length(settings: Settings, path: str) -> LocalHome:
    file = settings.config_file
    config = str(file) if file is not None and file.exists() else None
    return LocalHome(path, config=config, host="", timeout=_LONGEST)


def fleet_worker(
    settings: Settings,
    clock: Clock,
    meant: Callable[[str], str],
    hidden: Callable[[Json], Json],
    engine: Engine,
    *,
    ended: Counter[str] | None = None,
) -> LetterWorker:
    """Return what carries out the commands that people send to the home of these settings.

    Args:
        settings: With `fleet.url`.
        clock: The clock of the process.
        meant: Puts the key of a session in the place of its digest.
        hidden: Puts digests in the place of names.
        engine: Of the home; looks for what became of what a process that ended began.
        ended: Counts how commands end.

    Raises:
        StateError: Our state folder cannot be written.
    """
    path = str(find_home(settings.home, os.environ, user_home()).path)

    def do(words: Sequence[str]) -> tuple[int, Json]:
        try:
            heard = _asked_at_length(settings, path).ask([meant(one) for one in words])
            return heard.code, hidden(json.loads(heard.text))
        except (SourceAwayError, ValueError) as error:
            return 1, refused(f"no answer: {error}", "`memconsole runs` there tells.")

    def look(letter: Letter, since: datetime) -> tuple[int, Json] | str | None:
        found = what_became_of(letter, since, engine.rotation, engine.runs)
        return (found[0], hidden(found[1])) if isinstance(found, tuple) else found

    server = parse_server(settings.fleet.url)
    identity = str(_identity(settings.state_dir, path))
    host = server.user.rpartition("_")[2]  # as `fleet invite` makes roles; a name holds no _
    operators = tuple(map(operator_of, settings.fleet.operators))
    return LetterWorker(
        PostgresLetters(server, passwords_of(settings.state_dir), identity),
        Door(host, (identity,), operators, settings.fleet.allow),
        do,
        JsonStatusFile(settings.state_dir / FOLDER / f"begun-{identity}.json"),
        clock,
        look=look,
        ended=ended,
    )


def fleet_publisher(
    settings: Settings,
    clock: Clock,
    look: Callable[[], Sequence[Fact]],
    choose: Callable[[], Sequence[Shelf]] = tuple,
    *,
    ended: Counter[str] | None = None,
) -> Publisher:
    """Return what publishes the home of these settings.

    Args:
        settings: With `fleet.url`.
        clock: The clock of the process.
        look: Makes the rows.
        choose: Chooses the indexes whose chunks go along.
        ended: How commands of people elsewhere ended, which is told with it.

    Raises:
        StateError: Our state folder cannot be written.
    """
    home = str(find_home(settings.home, os.environ, user_home()).path)
    copy = PostgresCopy(
        parse_server(settings.fleet.url),
        passwords_of(settings.state_dir),
        identity=_identity(settings.state_dir, home),
        path=home,
        release=__version__,
        beat_s=max(1, round(settings.fleet.beat.total_seconds())),
        allows=settings.fleet.allow if settings.fleet.operators else (),
        clock=lambda: clock.now().timestamp(),
    )
    return Publisher(
        look,
        copy,
        fleet_standing(settings),
        clock,
        beat=settings.fleet.beat,
        share=random.random,
        shelves=choose,
        ended=ended,
    )


def erase_published(settings: Settings, shelves: Sequence[Shelf]) -> int:
    """Delete what is published of this home and not in its indexes any more; return how many.

    Raises:
        SourceAwayError: The server is away; whoever publishes deletes it first.
        FleetError: The server refuses.
        StateError: Our state folder cannot be written.
    """
    home = str(find_home(settings.home, os.environ, user_home()).path)
    identity = _identity(settings.state_dir, home)
    server = parse_server(settings.fleet.url)
    return erase_copy(server, passwords_of(settings.state_dir), identity, shelves)


def fleet_standing(settings: Settings) -> JsonStatusFile:
    """Return the file that tells how publishing goes."""
    return JsonStatusFile(settings.state_dir / FOLDER / _STANDING)


def has_published(settings: Settings) -> bool:
    """Tell whether something of this host may be in the fleet."""
    found = standing_of(fleet_standing(settings).read())
    return found is not None and found.published_at is not None


def _identity(state_dir: Path, home: str) -> uuid.UUID:
    """Return the name of a home that nobody else has, made once."""
    file = JsonStatusFile(state_dir / FOLDER / _HOMES)
    known: dict[str, str] = {}
    with suppress(ValueError, TypeError):
        known = dict(json.loads(file.read() or "{}"))
        if home in known:
            return uuid.UUID(known[home])
    made = uuid.uuid4()
    file.write(json.dumps({**known, home: str(made)}) + "\n")
    return made


def _kept(state_dir: Path, name: str) -> bytes:
    """Return a key of our folder, made when it is missing.

    Raises:
        StateError: It can neither be read nor made, is none, or others may read it.
    """
    path = state_dir / FOLDER / name
    try:
        with open_state_folder(state_dir, FOLDER) as folder, suppress(FileExistsError):
            create_file(folder, name, secrets.token_bytes(_KEY_BYTES))
        found, mode = path.read_bytes(), path.stat().st_mode
    except OSError as error:
        raise StateError(f"{path} cannot be kept: {error.strerror or error}") from None
    if mode & OTHERS:
        raise StateError(f"others may read {path}", hint=f"`chmod 600 {path}`, or a new key.")
    if len(found) != _KEY_BYTES:
        raise StateError(
            f"{path} is no key of {_KEY_BYTES} bytes",
            hint="Put it back from a backup; where there is none, delete it and a new one is made.",
        )
    return found
