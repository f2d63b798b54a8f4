"""What a host publishes of its memory: what is allowed, masked, once, and gone when it is gone."""

from __future__ import annotations

import itertools
import json
import os
import random
import uuid
from contextlib import closing
from typing import TYPE_CHECKING, NoReturn

import pytest

from memconsole.adapters.fleet.postgres.chunks import erase_copy
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.domain.fleet.publishing import Published
from memconsole.domain.fleet.server import parse_server
from memconsole.errors import FleetError, SourceAwayError
from tests.lanes.postgres.memories import Memories
from tests.lanes.postgres.test_publishing import copy_of
from tests.program import Program

if TYPE_CHECKING:
    from tests.lanes.postgres.fleet import Fleet, Somebody
    from tests.lanes.postgres.server import Server

pytestmark = pytest.mark.postgres

NOTE = "# Trip\n\nThe ferry to Korčula leaves at seven.\n\n## Money\n\nThe deposit was 40 euros.\n"


@pytest.fixture(scope="module")
def alpha(fleet: Fleet) -> Somebody:
    return fleet.join("alpha", "--labels", "prod")


@pytest.fixture
def memories(alpha: Somebody, fleet: Fleet) -> Memories:
    with fleet.admin() as connection:
        connection.execute("DELETE FROM fleet.homes")
    made = Memories(alpha, uuid.uuid4())
    for old in made.workspace().rglob("*.md"):
        old.unlink()
    made.write("memory/2026-01-20.md", NOTE)
    return made


def chunks(fleet: Fleet) -> dict[str, list[str]]:
    """Return the texts on the server by path."""
    found: dict[str, list[str]] = {}
    with fleet.admin() as connection:
        for path, text in connection.execute(
            "SELECT d.path, c.text FROM fleet.chunks c JOIN fleet.documents d ON"
            " d.index_id = c.index_id AND d.id = c.document ORDER BY d.path, c.id"
        ):
            found.setdefault(path, []).append(text)
    return found


def test_a_memory_is_published_once(fleet: Fleet, memories: Memories) -> None:
    sent = memories.publish()
    assert sent.rows == len(chunks(fleet)["memory/2026-01-20.md"]) == 2
    assert memories.publish() == Published(0, 0)
    with fleet.admin() as connection:
        [row] = connection.execute(
            "SELECT s.documents, s.chunks, s.words > 0, s.bytes > 0, i.df IS NOT NULL,"
            " (SELECT count(*) FROM fleet.vectors) FROM fleet.indexes i JOIN fleet.sizes s"
            " ON s.index_id = i.id"
        ).fetchall()
    assert row == (1, 2, True, True, True, 2)


def test_only_what_changed_is_sent_again(fleet: Fleet, memories: Memories) -> None:
    memories.publish()
    memories.write("memory/2026-01-20.md", f"{NOTE}\n## More\n\nBring the blue rope.\n")
    assert memories.publish() == Published(1, 0)
    memories.write("memory/2026-01-20.md", NOTE.replace("40", "45"))
    assert memories.publish()[:2] == (1, 2)  # the changed section is another chunk
    assert "45 euros" in str(chunks(fleet))
    assert "40 euros" not in str(chunks(fleet))
    memories.write("memory/2026-01-20.md", f"One line above.\n\n{NOTE}")
    memories.publish()
    with fleet.admin() as connection:
        lines = connection.execute("SELECT start_line FROM fleet.chunks ORDER BY 1").fetchall()
    assert [line for (line,) in lines] == [1, 3, 7]


def test_what_is_removed_goes_with_the_next_transaction(fleet: Fleet, memories: Memories) -> None:
    memories.write("MEMORY.md", "The alarm code hint is the old street.\n")
    memories.publish()
    assert "MEMORY.md" in chunks(fleet)
    (memories.workspace() / "MEMORY.md").unlink()
    assert memories.publish().gone == 1
    assert list(chunks(fleet)) == ["memory/2026-01-20.md"]
    with fleet.admin() as connection:
        assert connection.execute("SELECT path FROM fleet.documents").fetchall() == [
            ("memory/2026-01-20.md",)
        ]


@pytest.mark.parametrize("level", ["figures", "nothing"])
def test_a_lower_level_deletes_what_may_not_be_there_any_more(
    fleet: Fleet, memories: Memories, level: str
) -> None:
    memories.publish()
    assert memories.publish(publish=level).gone
    assert chunks(fleet) == {}
    with fleet.admin() as connection:
        for table in ("indexes", "documents", "vectors"):
            assert connection.execute(f"SELECT 1 FROM fleet.{table}").fetchall() == []


def test_agents_and_paths_that_are_excluded_stay(fleet: Fleet, memories: Memories) -> None:
    memories.write("memory/private/diary.md", "Nobody knows of the surprise party.\n")
    memories.publish()
    assert "memory/private/diary.md" in chunks(fleet)
    memories.publish(exclude=("memory/private",))
    assert list(chunks(fleet)) == ["memory/2026-01-20.md"]
    memories.publish(exclude=("main",))
    assert chunks(fleet) == {}


def test_secrets_are_masked_whatever_the_settings_say(fleet: Fleet, memories: Memories) -> None:
    secret = "sk-ant-api03-" + "Zq7xW2vB9nM4kL8pR3tY6uH1jF5dS0aG" * 2
    memories.environment["MEMCONSOLE_REDACT__ENABLED"] = "false"
    memories.write("memory/keys.md", f"The key of the relay is {secret} and \x1b[31mred.\n")
    memories.publish()
    [text] = chunks(fleet)["memory/keys.md"]
    assert secret not in text
    assert "[redacted:" in text
    with fleet.admin() as connection:
        [row] = connection.execute(
            "SELECT c.lex::text, c.tokens, v.vector FROM fleet.chunks c LEFT JOIN fleet.vectors v"
            " USING (index_id, id) WHERE text LIKE '%%relay%%'"
        ).fetchall()
    assert secret[13:].lower() not in row[0]
    assert row[1:] == (None, None)  # its tokens would spell it


@pytest.mark.parametrize("when", [1e12, -6.2e10])
def test_a_file_of_an_impossible_time_stops_no_other(
    fleet: Fleet, memories: Memories, when: float
) -> None:
    memories.write("memory/odd.md", "The clock of this one is wrong.\n")
    os.utime(memories.workspace() / "memory/odd.md", (when, when))
    memories.publish()
    assert {"memory/odd.md", "memory/2026-01-20.md"} == chunks(fleet).keys()


def test_any_order_of_publishing_ends_in_the_same_rows(fleet: Fleet, memories: Memories) -> None:
    chance = random.Random(7)
    names = [f"memory/n{number}.md" for number in range(4)]
    for _ in range(6):
        for name in names:
            place = memories.workspace() / name
            if chance.random() < 0.4:
                place.unlink(missing_ok=True)
            elif chance.random() < 0.7:
                memories.write(name, f"Note {chance.randrange(3)} of the harbour.\n")
        memories.publish()
        here = {
            name: [(memories.workspace() / name).read_text().strip()]
            for name in names
            if (memories.workspace() / name).exists()
        }
        found = {name: text for name, text in chunks(fleet).items() if name in names}
        assert found == here


def test_a_lost_connection_leaves_whole_chunks_and_the_rest_is_brought(
    fleet: Fleet, memories: Memories
) -> None:
    shelves = memories.shelves()
    with closing(copy_of(memories.host, memories.identity)) as copy:
        copy.publish(())
        with fleet.admin() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s",
                (f"{fleet.database}_alpha",),
            )
        with pytest.raises(SourceAwayError):
            copy.publish((), shelves)
        assert chunks(fleet) == {}
        assert copy.publish((), shelves).rows == 2


def test_long_work_is_done_by_and_by(fleet: Fleet, memories: Memories) -> None:
    for number in range(3):
        memories.write(f"memory/n{number}.md", "\n\n".join(f"# H{n}\n\nx{n}" for n in range(300)))
    clock = itertools.count(0, 100)
    asked: list[str] = []

    def allows(path: str) -> bool:
        asked.append(path)
        return True

    shelves = [one._replace(allows=allows) for one in memories.shelves()]
    with closing(copy_of(memories.host, memories.identity)) as copy:
        copy.publish(())
        assert copy._chunks is not None
        copy._chunks._monotonic = lambda: float(next(clock))
        rounds = [copy.publish((), shelves) for _ in range(2)]
    assert [one.rows for one in rounds] == [500, 402]
    assert rounds[0].owed == 402
    assert rounds[1].owed == 0
    assert len(asked) == len(set(asked)) == 4  # all of it is listed once, not in each round


SESSIONS = {
    "agent:main:main": "the ferry is late",
    "agent:main:telegram:direct:77": "ask about the deposit",
    "agent:main:telegram:group:-100": "what the others said",
}


def test_talks_go_only_where_that_was_said_and_of_groups_where_captures_may_read_them(
    fleet: Fleet, memories: Memories
) -> None:
    folder = memories.host.home / "agents" / "main" / "sessions"
    store = {}
    for number, (key, said) in enumerate(SESSIONS.items()):
        name = f"5e55a{number}10-0000-4000-8000-000000000001"
        store[key] = {"sessionId": name, "updatedAt": 1_768_000_000_000}
        lines = (
            {"type": "session", "id": name, "timestamp": "2026-01-20T10:00:00Z"},
            {
                "type": "message",
                "id": f"m{number}",
                "timestamp": "2026-01-20T10:00:01Z",
                "message": {"role": "user", "content": said},
            },
        )
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    (folder / "sessions.json").write_text(json.dumps(store))
    memories.publish()
    assert "the ferry is late" not in str(chunks(fleet))
    memories.publish(publish="talks")
    there = str(chunks(fleet))
    assert "the ferry is late" in there
    assert "ask about the deposit" in there
    assert "what the others said" not in there
    memories.environment["MEMCONSOLE_CAPTURE__GROUPS"] = "true"
    memories.publish(publish="talks")
    assert "what the others said" in str(chunks(fleet))
    del memories.environment["MEMCONSOLE_CAPTURE__GROUPS"]
    memories.publish()
    assert list(chunks(fleet)) == ["memory/2026-01-20.md"]


def test_leaving_with_erase_takes_the_chunks_out(fleet: Fleet, memories: Memories) -> None:
    gamma = fleet.join("gamma")
    other = Memories(gamma, uuid.uuid4())
    other.write("MEMORY.md", "The boat is called Petra.\n")
    other.publish()
    planned = gamma("fleet", "leave", "--erase", "--dry-run").data[0]
    assert planned["details"]["rows"] == 1
    assert gamma("fleet", "leave", "--erase").code == 0
    assert chunks(fleet) == {}


def test_forgetting_for_good_deletes_the_copy_or_says_that_it_waits(
    fleet: Fleet, server: Server, memories: Memories
) -> None:
    memories.write("MEMORY.md", "- The code of the shed is forty two.\n- The boat is Petra.\n")
    program = Program(memories.environment)
    home = str(memories.host.home)
    with fleet.admin() as connection:
        connection.execute("DELETE FROM fleet.homes")
    names = memories.host.state / "fleet" / "homes.json"
    names.parent.mkdir(parents=True, exist_ok=True)
    names.write_text(json.dumps({home: str(memories.identity)}))
    memories.publish()
    assert "forty two" in str(chunks(fleet))
    [entry] = program.json("memory", "show", "MEMORY.md").rows(line=1)
    done = program.json("memory", "forget", entry["id"], "--hard", "--yes").row(status="done")
    assert done["details"]["fleet_copy"] == "deleted"
    assert "fleet copy: deleted" in done["message"]
    assert "forty two" not in str(chunks(fleet))
    memories.publish()
    assert "The boat is Petra" in str(chunks(fleet))
    [entry] = program.json("memory", "show", "MEMORY.md").rows(line=1)
    server.stop()
    done = program.json("memory", "forget", entry["id"], "--hard", "--yes").row(status="done")
    server.start()
    assert done["details"]["fleet_copy"] == "pending"
    assert "fleet copy: pending" in done["message"]
    assert "The boat is Petra" in str(chunks(fleet))
    memories.publish()
    assert "The boat is Petra" not in str(chunks(fleet))


def test_erasing_takes_out_what_may_not_be_there_and_never_says_so_where_it_cannot_look(
    fleet: Fleet, memories: Memories
) -> None:
    memories.publish()
    where = parse_server(memories.host.url), passwords_of(memories.host.state), memories.identity
    shelves = memories.shelves()
    lost = [one._replace(open=_missing) for one in shelves]
    with pytest.raises(FleetError, match="cannot be read"):
        erase_copy(*where, lost)
    assert chunks(fleet) != {}
    assert erase_copy(*where, ()) == 3  # two chunks and their index, as with a lower level
    assert chunks(fleet) == {}


def _missing() -> NoReturn:
    raise FileNotFoundError
