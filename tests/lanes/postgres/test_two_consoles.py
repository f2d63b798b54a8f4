"""Two people's consoles on screen at one time: what one of them asks for, the other one sees."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.fleet.postgres.watch import CHANNEL
from memconsole.demo.home import write_home
from tests.conftest import XDG_FOLDERS
from tests.lanes import home
from tests.lanes.postgres.fleet import wait_for
from tests.lanes.postgres.test_letters import serving
from tests.lanes.tmux import Tmux, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lanes.postgres.fleet import Fleet, Somebody

pytestmark = pytest.mark.postgres

_LOCK = 4711
_HOLD = f"""
CREATE FUNCTION fleet.hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN PERFORM pg_advisory_xact_lock({_LOCK}); RETURN new; END $$;
CREATE TRIGGER hold BEFORE UPDATE ON fleet.commands
  FOR EACH ROW WHEN (new.state = 'answered') EXECUTE FUNCTION fleet.hold();
SELECT pg_advisory_lock({_LOCK})
"""
"""Until the lock is given free, what was begun is not answered."""
_RELEASE = f"SELECT pg_advisory_unlock({_LOCK})"
_BE_AWAY = f"""
UPDATE fleet.hosts SET seen_at = now() - interval '14 min';
UPDATE fleet.homes SET looked_at = now() - interval '14 min';
SELECT pg_notify('{CHANNEL}', '')
"""


@contextmanager
def console(who: Somebody) -> Iterator[Tmux]:
    """Open somebody's console over the fleet."""
    folders = {name: str(who.folder / place) for name, place in XDG_FOLDERS.items()}
    tmux = Tmux(who.folder, {**home.environment(who.folder), **who.environment, **folders})
    try:
        tmux.start(120, 40, "env", "-u", "MEMCONSOLE_NOW", *home.console("--fleet"))
        yield tmux
    finally:
        tmux.close()


class People:
    """Ann and bob, who may both see the fleet and ask for a checkpoint."""

    def __init__(self, fleet: Fleet) -> None:
        self.ann, self.bob = (fleet.join(name, "--operator") for name in ("ann", "bob"))
        for person in (self.ann, self.bob):
            verbs = ("read", "checkpoint")
            assert fleet.owner("fleet", "grant", person.folder.name, *verbs).code == 0
            person.reads(person.url)
        self.line = self.ann("fleet", "key", "--name", "ann").data[0]["details"]["line"]

    def told(self) -> list[tuple[str, str, str]]:
        """Return what bob is told of what was asked of hosts: by whom, what, how far it is."""
        rows = self.bob("fleet", "commands", "--url", self.bob.url).data
        return [(row["by"].rpartition("_")[2], row["words"][0], row["state"]) for row in rows]


def saves(console: Tmux, expected: str) -> None:
    """Wait until a console says when the agent `work` was saved last."""
    says = re.compile(rf"alpha +work .*? (?:{expected}) ││")
    wait_until(lambda: says.search(console.picture()) is not None, console.picture)


def tells(console: Tmux, who: str, far: str) -> None:
    """Wait until a console says who asked for a checkpoint of that agent, and how far it is."""
    says = re.compile(rf"{who} +checkpoint +\S +alpha/work +{far}")
    wait_until(lambda: says.search(console.picture()) is not None, console.picture)


def test_what_one_person_asks_for_is_seen_by_the_other(fleet: Fleet, tmp_path: Path) -> None:
    alpha, people = fleet.join("alpha"), People(fleet)
    written = write_home(tmp_path, datetime.now(UTC), None)
    alpha.environment["MEMCONSOLE_HOME"] = str(written.state)
    serve = partial(serving, alpha, MEMCONSOLE_FLEET__OPERATORS=people.line)
    with fleet.admin() as admin, console(people.ann) as ann, console(people.bob) as bob:
        with serve():
            wait_for(fleet, "alpha")
            saves(ann, "never")
            saves(bob, "never")
        admin.execute(_BE_AWAY)
        admin.execute(_HOLD)
        for one in (ann, bob):
            one.wait_for("away 14m")
        ann.press("1", "g", "c")
        ann.wait_for("alpha is away 14 min: it is done when it comes back")
        ann.wait_for("y checkpoint")
        assert people.told() == []
        ann.settle()  # keys of a question's first moment are dropped
        ann.press("y")
        ann.wait_for("waits  away 14 min · gives up in")
        wait_until(lambda: people.told() == [("ann", "checkpoint", "sent")], bob.picture)
        tells(bob, "ann", r"waits \d+ \w+, gives up in \d")
        with serve():
            ann.wait_for("not answered yet")
            assert people.told() == [("ann", "checkpoint", "begun")]
            tells(bob, "ann", r"begun \d+ s ago, not answered")
            admin.execute(_RELEASE)
            ann.wait_for("✓ alpha/work / main  done")
            saves(bob, r"now|\d+ ?\w+")
            assert people.told() == [("ann", "checkpoint", "answered")]
            tells(bob, "ann", "work done")
            ann.press("Escape")
            tells(ann, "me", "work done")
            saves(ann, r"now|\d+ ?\w+")
    runs = [row for row in alpha("runs").data if row["command"] == "checkpoint"]
    assert [row["status"] for row in runs] == ["done"]
    audit = fleet.owner("fleet", "audit").data
    asked = [(row["by"], row["state"]) for row in audit if row["what"] == "checkpoint"]
    assert asked == [(f"{fleet.database}_ann", "answered")]
