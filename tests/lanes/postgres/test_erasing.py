"""What is forgotten stays out of the copy, whoever ends in the middle or publishes then."""

from __future__ import annotations

import threading
import uuid
from contextlib import closing, contextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from memconsole.adapters.fleet.postgres.chunks import erase_copy
from memconsole.adapters.fleet.postgres.membership import Membership, passwords_of
from memconsole.domain.fleet.server import parse_server
from memconsole.errors import MemconsoleError
from tests.lanes.postgres.memories import Memories
from tests.lanes.postgres.test_letters import KilledError
from tests.lanes.postgres.test_publishing import copy_of, sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.fleet.chunks import OutgoingIndex, PublishedChunk, Shelf
    from tests.lanes.postgres.fleet import Fleet, Somebody

pytestmark = pytest.mark.postgres

SECRET, KEPT = "The code of the shed is forty two.", "The boat is Petra."


class Host:
    """A host that published two notes, and forgets one of them."""

    def __init__(self, somebody: Somebody) -> None:
        self.memories = Memories(somebody, uuid.uuid4())
        self.server = parse_server(somebody.url)
        self.passwords = passwords_of(somebody.state)

    def remember(self) -> tuple[Shelf, ...]:
        self.memories.write("MEMORY.md", f"{KEPT}\n\n# Shed\n\n{SECRET}\n")
        return self.memories.shelves()

    def forget(self) -> tuple[Shelf, ...]:
        self.memories.write("MEMORY.md", f"{KEPT}\n")
        return self.memories.shelves()

    def erase(self, shelves: tuple[Shelf, ...]) -> int:
        return erase_copy(self.server, self.passwords, self.memories.identity, shelves)


@pytest.fixture(scope="module")
def alpha(fleet: Fleet) -> Host:
    return Host(fleet.join("alpha"))


def texts(fleet: Fleet) -> str:
    with fleet.admin() as connection:
        return str(connection.execute("SELECT text FROM fleet.chunks ORDER BY id").fetchall())


@contextmanager
def killed_at(step: int, is_before: bool) -> Iterator[None]:
    """End the process, as it were, at one of its statements."""
    seen = count(1)

    def execute(self: psycopg.Connection, *words: Any, **named: Any) -> Any:
        last = next(seen)
        if last == step and is_before:
            raise KilledError
        found = real(self, *words, **named)
        if last == step:
            self.pgconn.finish()  # nothing more is said to the server
            raise KilledError
        return found

    real = psycopg.Connection.execute
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        yield


@pytest.mark.parametrize("is_before", [True, False])
def test_an_erasure_that_is_killed_at_any_step_is_made_up_for(
    fleet: Fleet, alpha: Host, is_before: bool
) -> None:
    """The publisher lives, as that of a `--serve` does, and takes out what must go."""
    identity = alpha.memories.identity
    with closing(copy_of(alpha.memories.host, identity)) as publisher:
        for step in count(1):
            publisher.publish((), alpha.remember())
            assert SECRET in texts(fleet)
            left = alpha.forget()
            is_done = True
            with killed_at(step, is_before):
                try:
                    alpha.erase(left)
                except KilledError:
                    is_done = False
            assert KEPT in texts(fleet)
            if is_done:
                assert SECRET not in texts(fleet)
                break
            publisher.publish((), left)
            assert SECRET not in texts(fleet)
            assert KEPT in texts(fleet)
        assert step > 5


@pytest.mark.parametrize("moment", ["hashes", "chunks"])
def test_what_is_forgotten_while_it_is_being_published_does_not_come_back(
    fleet: Fleet, alpha: Host, moment: str
) -> None:
    """The publisher has read it already; who erases waits for it, or it looks again."""
    identity = alpha.memories.identity
    alpha.memories.write("MEMORY.md", f"{KEPT}\n")
    with closing(copy_of(alpha.memories.host, identity)) as publisher:
        publisher.publish((), alpha.memories.shelves())
        assert SECRET not in texts(fleet)
        erasing = threading.Thread(target=lambda: alpha.erase(alpha.forget()))

        class Told:
            """An index that tells what was read of it."""

            def __init__(self, index: OutgoingIndex) -> None:
                self.stamp, self.model = index.stamp, index.model
                self.documents, self.frequencies = index.documents, index.frequencies
                self._index, self.read = index, ""

            def hashes(self) -> object:
                self.read = "hashes"
                return self._index.hashes()

            def chunks(self, ids: Iterable[int]) -> list[PublishedChunk]:
                self.read = "chunks"
                return list(self._index.chunks(ids))

        def slowed(shelf: Shelf) -> Shelf:
            @contextmanager
            def opened() -> Iterator[OutgoingIndex]:
                with shelf.open() as index:
                    told = Told(index)
                    yield told  # type: ignore[misc]  # stands for it
                if told.read == moment and erasing.ident is None:
                    erasing.start()
                    erasing.join(20.0 if moment == "hashes" else 3.0)
                    assert erasing.is_alive() == (moment == "chunks")  # it waits for us

            return shelf._replace(open=opened)

        owed = publisher.publish((), [slowed(one) for one in alpha.remember()]).owed
        erasing.join()
        assert SECRET not in texts(fleet)
        assert owed > 0
        publisher.publish((), alpha.memories.shelves())
        assert KEPT in texts(fleet)
        assert SECRET not in texts(fleet)


@pytest.mark.parametrize("is_before", [True, False])
def test_leaving_that_is_killed_at_any_step_is_done_again_while_it_publishes(
    fleet: Fleet, is_before: bool
) -> None:
    name = f"host{int(is_before)}"
    for step in count(1):
        somebody = fleet.join(f"{name}-{step}")
        host = Host(somebody)
        leaving = Membership(host.server, somebody.state)
        with closing(copy_of(somebody, host.memories.identity)) as publisher:
            publisher.publish(sessions(1), host.remember())
            is_done = True
            with killed_at(step, is_before):
                try:
                    leaving.leave(erase=True, dry_run=False)
                except KilledError:
                    is_done = False
            if is_done:
                break
            with suppress(MemconsoleError):  # it goes on, not knowing of it
                publisher.publish(sessions(1, 2), host.forget())
            leaving.leave(erase=True, dry_run=False)
            with pytest.raises(MemconsoleError):
                publisher.publish(sessions(1), host.remember())
        with fleet.admin() as connection:
            query = (
                "SELECT count(*) FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host"
                " WHERE h.name = %s"
            )
            assert connection.execute(query, (f"{name}-{step}",)).fetchone() == (0,)
        assert not host.passwords.exists() or host.passwords.read_text() == ""
    assert step >= 4
