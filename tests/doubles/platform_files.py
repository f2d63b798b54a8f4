"""Doubles of files of the platform: its configuration as a text, and our hooks."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Written
from memconsole.domain.config_check.finding import Change, ConfigPart, ConfigText, ConfigWhole
from memconsole.domain.hooks import HOOKS, HookState, HookStatus
from memconsole.errors import ConcurrentEditError, PlatformConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

PATH = Path("/home/operator/.openclaw/openclaw.json")


class FakeConfigFile:
    """Answers like `DiskConfigFile`; knows plain JSON only.

    Attributes:
        text: None when there is no configuration.
        is_plain: Whether the platform's program may be asked.
        folders: What lies in the hooks folder; None cannot be listed.
        program: What the platform's program does with the file; None is no program.
        edits: Texts that someone else writes right before a replacement, one a call.
        calls: What was done, in order.
        leftovers: What a killed run left beside it, until it is swept.
        parts: Files that it names.
        obstacle: Why it is never changed.
    """

    def __init__(self, text: str | None = None) -> None:
        self.text = text
        self.is_plain = False
        self.folders: dict[str, frozenset[str]] | None = {}
        self.program: Callable[[Sequence[Change]], bool] | None = None
        self.edits: list[str] = []
        self.backups: list[str] = []
        self.calls: list[str] = []
        self.is_unwritable = False
        self.leftovers: tuple[Path, ...] = ()
        self.parts: tuple[ConfigPart, ...] = ()
        self.obstacle = ""

    def read(self) -> ConfigText | None:
        if self.text is None:
            return None
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        version = (0, len(self.text), digest)
        root = self.decode(self.text)
        return ConfigText(PATH, self.text, version, root, self.is_plain, obstacle=self.obstacle)

    def whole(self, seen: ConfigText) -> ConfigWhole:
        """Put parts in their places; keys that stand in two of them are not joined."""
        root = seen.root
        for one in self.parts:
            for name, value in one.root.items():
                root = {**root, name: _over(value, root.get(name))}
        return ConfigWhole(root, self.parts)

    def decode(self, text: str) -> Mapping[str, object]:
        try:
            root = json.loads(text)
        except ValueError:
            raise PlatformConfigError(f"{PATH} cannot be read: not JSON5") from None
        assert isinstance(root, dict)
        return root

    def back_up(self, seen: ConfigText) -> Written:
        if self.is_unwritable:
            raise PlatformConfigError("no copy of the configuration can be kept")
        self.backups.append(seen.text)
        self.calls.append("back_up")
        return Written(f"/state/backups/config-{len(self.backups)}.json", len(seen.text))

    def replace(self, text: str, *, seen: ConfigText) -> Written:
        if self.edits:
            self.text = self.edits.pop(0)
        if self.text != seen.text:
            raise ConcurrentEditError(str(PATH))
        self.text = text
        self.calls.append("replace")
        return Written(str(PATH), len(text))

    def sweep(self) -> tuple[Path, ...]:
        gone, self.leftovers = self.leftovers, ()
        return gone

    def set_by_program(self, changes: Sequence[Change]) -> bool:
        self.calls.append("program")
        return self.program is not None and self.program(changes)

    def hooks(self) -> Mapping[str, frozenset[str]] | None:
        return self.folders


def _over(below: object, above: object) -> object:
    if isinstance(below, dict) and isinstance(above, dict):
        return {
            **below,
            **above,
            **{key: _over(below[key], above[key]) for key in below.keys() & above},
        }
    return below if above is None else above


class FakeHooks:
    """A hooks folder that is written in memory.

    Attributes:
        program: Path of memconsole.
        calls: When what was called last.
        obstacles: What keeps MCP servers from answering; those that are not here cannot be asked.
    """

    def __init__(self) -> None:
        self.installed: list[str] = []
        self.program = "/opt/memconsole"
        self.calls: dict[str, datetime] = {}
        self.obstacles: dict[str, str] = {}

    def linked(self, prefix: str) -> tuple[str, ...]:
        return ()

    def called_at(self, name: str) -> datetime | None:
        return self.calls.get(name)

    def obstacle_of_server(self, name: str) -> str | None:
        return self.obstacles.get(name)

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        del asks
        return tuple(
            HookStatus(
                f"{prefix}{spec.name}",
                f"/home/operator/.openclaw/hooks/{prefix}{spec.name}",
                HookState.INSTALLED if spec.name in self.installed else HookState.MISSING,
                None,
                "it is as it is",
            )
            for spec in HOOKS
        )

    def install(self, prefix: str, *, dry_run: bool) -> tuple[Written, ...]:
        if not dry_run:
            self.installed = [spec.name for spec in HOOKS]
        return tuple(Written(f"{prefix}{spec.name}/handler.js", 10) for spec in HOOKS)

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        gone = tuple(self.installed)
        if not dry_run:
            self.installed = []
        return gone
