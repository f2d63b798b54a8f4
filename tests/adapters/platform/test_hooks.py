"""Our hooks inside the platform home: what is written, what is left alone, what they do."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.hooks import DiskHooks, HookCalls, listed_hooks, probed_server
from memconsole.domain.hooks import HOOKS, HookState, handler_js, hook_md
from memconsole.errors import PlatformConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAMES = [spec.name for spec in HOOKS]
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def hooks(home: Path, config: Mapping[str, object] | None = None) -> DiskHooks:
    return DiskHooks(home, lambda: config, "openclaw")


def states(found: DiskHooks, prefix: str = "") -> list[HookState]:
    return [one.state for one in found.status(prefix)]


def test_they_are_written_for_their_owner_alone_and_taken_away_again(tmp_path: Path) -> None:
    found = hooks(tmp_path)
    assert states(found) == [HookState.MISSING] * 3
    wrote = found.install("", dry_run=False)
    assert len(wrote) == 6
    assert states(found) == [HookState.INSTALLED] * 3
    for name in NAMES:
        folder = tmp_path / "hooks" / name
        assert sorted(one.name for one in folder.iterdir()) == ["HOOK.md", "handler.js"]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()} == {0o600}
    assert len(found.remove("", dry_run=False)) == 3
    assert list((tmp_path / "hooks").iterdir()) == []


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    found = hooks(tmp_path / "home")
    assert len(found.install("", dry_run=True)) == 6
    assert not (tmp_path / "home").exists()
    (tmp_path / "home").mkdir()
    found.install("", dry_run=False)
    assert len(found.remove("", dry_run=True)) == 3
    assert states(found) == [HookState.INSTALLED] * 3


def test_an_older_version_is_renewed(tmp_path: Path) -> None:
    found = hooks(tmp_path)
    found.install("", dry_run=False)
    handler = tmp_path / "hooks" / NAMES[0] / "handler.js"
    handler.write_text("// memconsole-hook: an older one\n")
    assert states(found)[0] is HookState.OUTDATED
    found.install("", dry_run=False)
    assert states(found)[0] is HookState.INSTALLED


def test_a_folder_whose_files_were_removed_already_goes_too(tmp_path: Path) -> None:
    folder = tmp_path / "hooks" / NAMES[0]
    folder.mkdir(parents=True)
    assert hooks(tmp_path).remove("", dry_run=False) == (str(folder),)
    assert not folder.exists()


@pytest.mark.parametrize("what", ["file", "handler", "extra", "link"])
def test_what_is_not_ours_is_left_alone_and_no_other_hook_is_written(
    what: str, tmp_path: Path
) -> None:
    folder = tmp_path / "hooks" / NAMES[1]
    if what == "file":
        folder.parent.mkdir()
        folder.write_text("mine")
    elif what == "link":
        (tmp_path / "elsewhere").mkdir()
        folder.parent.mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir(parents=True)
        (folder / ("handler.js" if what == "handler" else "handler.ts")).write_text("mine")
    found = hooks(tmp_path)
    with pytest.raises(PlatformConfigError, match="somebody else"):
        found.install("", dry_run=False)
    assert [one.name for one in (tmp_path / "hooks").iterdir()] == [NAMES[1]]
    assert found.remove("", dry_run=False) == ()
    assert len(found.install("mc-", dry_run=False)) == 6
    assert states(found, "mc-") == [HookState.INSTALLED] * 3


@pytest.mark.parametrize("left", [".memconsole-4242-0123456789ab.tmp", ".handler.js.4242.tmp"])
def test_what_a_killed_install_left_is_ours(left: str, tmp_path: Path) -> None:
    found = hooks(tmp_path)
    found.install("", dry_run=False)
    for name in NAMES:
        (tmp_path / "hooks" / name / left).write_text("// half a handl")
    (tmp_path / "hooks" / NAMES[1] / "handler.js").unlink()
    for name in ("HOOK.md", "handler.js"):
        (tmp_path / "hooks" / NAMES[2] / name).unlink()
    states_left = [HookState.INSTALLED, HookState.OUTDATED, HookState.MISSING]
    assert states(found) == states_left
    found.install("", dry_run=False)
    assert states(found) == [HookState.INSTALLED] * 3
    assert not [*tmp_path.rglob("*.tmp")]
    for name in NAMES:
        (tmp_path / "hooks" / name / left).write_text("// half a handl")
    assert len(found.remove("", dry_run=False)) == 3
    assert list((tmp_path / "hooks").iterdir()) == []


def test_a_linked_folder_is_written_into_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "hooks").symlink_to(tmp_path / "elsewhere")
    found = hooks(tmp_path / "home")
    with pytest.raises(PlatformConfigError, match="hooks cannot be written: it is a symbolic link"):
        found.install("", dry_run=False)
    hooks(tmp_path / "home").remove("", dry_run=False)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert states(found) == [HookState.FOREIGN] * 3


@pytest.mark.parametrize(("kind", "why"), [("link", "symbolic link"), ("file", "Not a directory")])
def test_where_no_hook_can_be_no_other_name_is_advised(kind: str, why: str, tmp_path: Path) -> None:
    place = tmp_path / "hooks"
    if kind == "link":
        place.symlink_to(tmp_path)
    else:
        place.touch()

    for one in hooks(tmp_path).status(""):
        assert why in one.message
        assert "--prefix" not in one.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_what_root_writes_belongs_to_the_owner_of_the_home(tmp_path: Path) -> None:
    os.chown(tmp_path, 1234, 2345)
    hooks(tmp_path).install("", dry_run=False)
    made = [*(tmp_path / "hooks").rglob("*"), tmp_path / "hooks"]
    assert {(one.stat().st_uid, one.stat().st_gid) for one in made} == {(1234, 2345)}


@pytest.mark.parametrize(
    ("internal", "enabled"),
    [
        ({"enabled": True, "entries": {NAMES[0]: {"enabled": True}}}, True),
        ({"enabled": False, "entries": {NAMES[0]: {"enabled": True}}}, False),
        ({"entries": {NAMES[0]: {"enabled": False}}}, False),
        ({"entries": {}}, None),
        ("nonsense", None),
    ],
)
def test_the_configuration_says_whether_they_run(
    internal: object, enabled: bool | None, tmp_path: Path
) -> None:
    found = hooks(tmp_path, {"hooks": {"internal": internal}})
    found.install("", dry_run=False)
    one = found.status("")[0]
    assert one.is_enabled is enabled
    assert ("openclaw hooks enable" in one.hint) is (enabled is not True)


def switched_on() -> dict[str, object]:
    entries = {name: {"enabled": True} for name in NAMES}
    return {"hooks": {"internal": {"enabled": True, "entries": entries}}}


def test_the_last_call_proves_that_a_hook_runs(tmp_path: Path) -> None:
    calls = HookCalls(tmp_path / "state", tmp_path)
    found = DiskHooks(tmp_path, switched_on, "openclaw", calls=calls)
    found.install("", dry_run=False)
    assert {(one.proof, one.called_at) for one in found.status("")} == {(None, None)}
    assert "no call of it was seen yet" in found.status("")[0].message

    at = datetime(2026, 4, 12, 9, tzinfo=UTC)
    calls.note(NAMES[0], at)
    calls.note("../evil", at)

    first, second, _ = found.status("")
    assert (first.proof, first.called_at, first.message) == (
        "call",
        at,
        "it is installed and switched on",
    )
    assert (second.proof, second.called_at) == (None, None)
    assert HookCalls(tmp_path / "state", tmp_path / "other").last(NAMES[0]) is None
    assert [one.name.endswith(NAMES[0]) for one in (tmp_path / "state" / "hooks").iterdir()] == [
        True
    ]
    assert stat.S_IMODE((tmp_path / "state" / "hooks").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("row", "proof", "words"),
    [
        ({"eligible": True, "disabled": False}, "platform", "the platform lists it as ready"),
        ({"loadable": True, "enabledByConfig": True}, "platform", "lists it as ready"),
        (
            {"eligible": False, "missing": {"bins": ["memconsole"]}},
            None,
            "missing bins: memconsole",
        ),
        ({"eligible": True, "disabled": True}, None, "does not run it: switched off"),
        ({"loadable": False, "blockedReason": "no handler"}, None, "does not run it: no handler"),
        (None, None, "it does not list it"),
    ],
)
def test_the_platform_is_asked_where_it_is_there(
    row: dict[str, object] | None, proof: str | None, words: str, tmp_path: Path
) -> None:
    rows = [{"name": name, **row} for name in NAMES] if row is not None else []
    program = tmp_path / "bin" / "openclaw"
    program.parent.mkdir()
    (tmp_path / "answer.json").write_text(json.dumps({"hooks": rows}))
    program.write_text(
        '#!/bin/sh\n[ "$*" = "hooks list --json" ] && cat "$OPENCLAW_STATE_DIR/answer.json"\n'
    )
    program.chmod(0o700)
    environ = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    found = DiskHooks(
        tmp_path,
        switched_on,
        "openclaw",
        listed=lambda: listed_hooks("openclaw", tmp_path, environ),
    )
    found.install("", dry_run=False)

    first = found.status("", asks=True)[0]

    assert first.proof == proof
    assert words in first.message
    assert found.status("")[0].proof is None


@pytest.mark.parametrize("answer", ["", "no JSON", "[]", '{"hooks": 3}'])
def test_an_answer_of_the_platform_that_is_none_is_no_proof(answer: str, tmp_path: Path) -> None:
    program = tmp_path / "openclaw"
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o700)
    assert listed_hooks("openclaw", tmp_path, {"PATH": f"{tmp_path}:/bin"}) is None
    assert listed_hooks("clawdbot", tmp_path, {"PATH": str(tmp_path)}) is None


@pytest.mark.parametrize(
    ("answer", "obstacle"),
    [
        ({"servers": {"ours": {"tools": 2}}, "diagnostics": []}, ""),
        ({"servers": {"ours": {"tools": 0}}}, "it offers no tools"),
        ({"servers": {}, "diagnostics": [{"message": "spawn ENOENT"}]}, "spawn ENOENT"),
        ({"ok": False, "error": {"message": "no such server"}}, "no such server"),
        ("rubbish", None),
    ],
)
def test_a_server_is_proven_by_the_program_that_starts_it(
    answer: object, obstacle: str | None, tmp_path: Path
) -> None:
    program = tmp_path / "openclaw"
    words = json.dumps(answer)
    program.write_text(
        f"#!/bin/sh\ntest \"$*\" = 'mcp probe ours --json' && echo '{words}'\nexit 1\n"
    )
    program.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/bin"}
    assert probed_server("openclaw", tmp_path, environ, "ours") == obstacle
    assert probed_server("clawdbot", tmp_path, environ, "ours") is None


def test_front_matter_speaks_to_both_generations() -> None:
    for spec in HOOKS:
        lines = hook_md(spec, spec.name).split("\n")
        assert lines[1] == f"name: {spec.name}"
        metadata = json.loads(lines[3].removeprefix("metadata: "))
        assert set(metadata) == {"openclaw", "clawdbot"}
        assert metadata["openclaw"]["events"] == list(spec.events)
        # The platform lists a hook as missing whose program is not on the Gateway's own PATH.
        assert "requires" not in metadata["openclaw"]
        assert "requires" not in metadata["clawdbot"]


FAKE = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
{body}
"""
GIVEN = {"data": {"files": [{"name": "A.md", "path": "/ws/A.md", "content": "text"}]}}


class Played:
    """Runs one handler under node with a fake event and a fake memconsole."""

    def __init__(self, tmp_path: Path, name: str, body: str = "") -> None:
        self.log = tmp_path / "calls"
        program = tmp_path / "memconsole"
        program.write_text(FAKE.format(log=self.log, body=body))
        program.chmod(0o755)
        spec = next(one for one in HOOKS if one.name == name)
        self.folder = tmp_path / ".openclaw" / "hooks" / name
        self.folder.mkdir(parents=True)
        self.program = program
        self.spec = spec
        self.write(str(program))

    def write(self, program: str) -> None:
        (self.folder / "handler.js").write_text(handler_js(self.spec, program))

    def send(self, event: Mapping[str, object]) -> dict[str, object]:
        """Return the event's context afterwards."""
        script = (
            "const h = require(process.argv[1]); const e = JSON.parse(process.argv[2]);"
            "h.default(e).then(() => console.log(JSON.stringify(e)));"
        )
        assert NODE is not None
        done = subprocess.run(
            [NODE, "-e", script, str(self.folder / "handler.js"), json.dumps(event)],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": "/usr/bin:/bin"},
        )
        assert done.stderr == ""
        found: dict[str, object] = json.loads(done.stdout)["context"]
        return found

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@needs_node
class TestHandlers:
    def test_a_starting_session_is_given_its_memory(self, tmp_path: Path) -> None:
        played = Played(tmp_path, "memory-index-inject", f"echo '{json.dumps(GIVEN)}'")
        context = {"bootstrapFiles": [{"name": "AGENTS.md"}], "workspaceDir": "/ws"}
        found = played.send(
            {
                "type": "agent",
                "action": "bootstrap",
                "sessionKey": "agent:a:main",
                "context": context,
            }
        )
        assert found["bootstrapFiles"] == [
            {"name": "AGENTS.md"},
            {"name": "A.md", "path": "/ws/A.md", "content": "text", "missing": False},
        ]
        home = tmp_path / ".openclaw"
        words = "--json bootstrap --workspace=/ws --session-key=agent:a:main"
        assert played.calls() == [f"--home {home} {words}"]

    def test_no_word_of_an_event_becomes_an_option(self, tmp_path: Path) -> None:
        played = Played(tmp_path, "memory-index-inject")
        context = {"workspaceDir": "-w", "sessionKey": "--help"}
        played.send({"type": "agent", "action": "bootstrap", "context": context})
        [said] = played.calls()
        assert said.endswith("/-w --session-key=--help")
        assert "--workspace=/" in said
        (tmp_path / "end").mkdir()
        played = Played(tmp_path / "end", "session-summary")
        sent = {"type": "command", "action": "new", "sessionKey": "--version", "context": {}}
        fifo = tmp_path / "end" / "calls"
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE, text=True)
        played.send(sent)
        said, _ = reader.communicate(timeout=60)
        assert said.endswith(" summarize --reason new -- --version\n")

    def test_nothing_is_imported_from_the_folder_of_the_gateway(self, tmp_path: Path) -> None:
        tells = f'echo "$(pwd) $PYTHONSAFEPATH $MEMCONSOLE_HOOK" > {tmp_path}/stood'
        played = Played(tmp_path, "memory-index-inject", tells)
        played.send({"type": "agent", "action": "bootstrap", "context": {}})
        assert (tmp_path / "stood").read_text() == "/ 1 memory-index-inject\n"

    @pytest.mark.parametrize("body", ["echo garbage", "exit 1", "echo '{}'", "kill -9 $$"])
    def test_a_bad_answer_disturbs_nothing(self, body: str, tmp_path: Path) -> None:
        played = Played(tmp_path, "memory-index-inject", body)
        event = {"type": "agent", "action": "bootstrap", "context": {"bootstrapFiles": []}}
        assert played.send(event) == {"bootstrapFiles": []}

    def test_a_missing_program_is_silent(self, tmp_path: Path) -> None:
        for name, event in (
            ("memory-index-inject", ("agent", "bootstrap")),
            ("session-summary", ("command", "new")),
            ("memory-flush", ("session", "compact:before")),
        ):
            (tmp_path / name).mkdir()
            played = Played(tmp_path / name, name)
            played.write("/nowhere/memconsole")
            sent = {
                "type": event[0],
                "action": event[1],
                "sessionKey": "agent:a:main",
                "context": {},
            }
            assert played.send(sent) == {}

    @pytest.mark.parametrize("event", [{}, {"type": "command", "action": "stop", "context": {}}])
    def test_other_events_call_nobody(self, event: dict[str, object], tmp_path: Path) -> None:
        for name in NAMES:
            (tmp_path / name).mkdir()
            played = Played(tmp_path / name, name)
            played.send({"context": {}, **event})
            assert played.calls() == []

    def test_an_ending_session_is_summarised_by_its_former_id(self, tmp_path: Path) -> None:
        # The handler leaves at once: the call is waited for in the fake program's file.
        fifo = tmp_path / "calls"
        played = Played(tmp_path, "session-summary")
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE, text=True)
        played.send(
            {
                "type": "command",
                "action": "new",
                "sessionKey": "agent:a:main",
                "context": {
                    "previousSessionEntry": {"sessionId": "old"},
                    "sessionEntry": {"sessionId": "new"},
                },
            }
        )
        said, _ = reader.communicate(timeout=60)
        words = "summarize --reason new --session-id=old -- agent:a:main"
        assert said == f"--home {tmp_path / '.openclaw'} {words}\n"
