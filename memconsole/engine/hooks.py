"""Puts memconsole's hooks and memory tools into the platform home, where writing is allowed."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.commands.outcomes import Written
from memconsole.domain.config_check.edit import EditError, edit, with_changes
from memconsole.domain.hooks import (
    HookState,
    HookStatus,
    McpEntry,
    denials,
    entries,
    is_enabled,
    is_taken,
    left_in,
    open_to,
    removals,
    server_name,
    switched_on,
)
from memconsole.domain.release import HAS_MCP_SERVERS, least_release, release_of
from memconsole.engine.config_check.fix import require_changeable
from memconsole.engine.home.lookup import find_agent
from memconsole.errors import PlatformConfigError, ReadOnlyError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memconsole.domain.agents import Home
    from memconsole.domain.config_check.edit import Edit
    from memconsole.domain.config_check.finding import Change, ConfigPart, ConfigText
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Gateway
    from memconsole.ports.platform_files import ConfigFile, HookFolder

_PLACES: Final = (
    "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "MEMCONSOLE_CONFIG",
    "MEMCONSOLE_STATE__DIR",
)  # fmt: skip
"""Variables that say where our own files lie; the platform gives its servers few variables."""


class Removed(NamedTuple):
    """What was taken out of the platform home.

    Attributes:
        gone: The folders of the hooks.
        wrote: The copy and the configuration, where it was changed.
        left: Sentences: which file still has what, and why; a person has to take it out.
    """

    gone: tuple[str, ...] = ()
    wrote: tuple[Written, ...] = ()
    left: tuple[str, ...] = ()


class HookService:
    """The hooks of memconsole, and its entries for memory as tools.

    Attributes:
        folder: The hooks as they are now: `folder.status()` says it.
    """

    def __init__(
        self,
        folder: HookFolder,
        *,
        config_file: Callable[[], ConfigFile],
        home: Callable[[], Home],
        gateway: Gateway,
        settings: Settings,
    ) -> None:
        self.folder = folder
        self._config_file = config_file
        self._home = home
        self._gateway = gateway
        self._is_read_only = settings.ui.read_only

    def install(self, prefix: str = "", *, dry_run: bool = False) -> tuple[Written, ...]:
        """Write the hooks into the platform home, or say what would be written.

        Args:
            prefix: What stands before the names of the hooks.
            dry_run: Only say it.

        Raises:
            ReadOnlyError: Nothing may be changed.
            PlatformConfigError: A folder of that name is somebody else's, or cannot be written.
        """
        self._require_writing("hooks install", dry_run=dry_run)
        return self.folder.install(prefix, dry_run=dry_run)

    def remove(self, prefix: str = "", *, dry_run: bool = False) -> Removed:
        """Take our hooks, what switches them on and our entries out of the platform home.

        Raises:
            ReadOnlyError: Nothing may be changed.
            ConcurrentEditError: Someone changed the configuration meanwhile; nothing was removed.
            PlatformConfigError: A hook cannot be removed or the configuration changed; or it cannot
                be read, and the hooks were removed all the same.
        """
        self._require_writing("hooks remove", dry_run=dry_run)
        there = (HookState.INSTALLED, HookState.OUTDATED)
        ours = [one.name for one in self.folder.status(prefix) if one.state in there]
        try:
            self._config_file().read()
        except PlatformConfigError:  # nothing in it is in the way of the folders
            self.folder.remove(prefix, dry_run=dry_run)
            raise
        done = self.remove_tools(hooks=ours, dry_run=dry_run)
        linked = [
            f"{one} is behind a symbolic link: it stays" for one in self.folder.linked(prefix)
        ]
        gone = self.folder.remove(prefix, dry_run=dry_run)
        return Removed(gone, done.wrote, (*map(one_line, linked), *done.left))

    def install_tools(
        self, agent_id: str, *, are_notes_allowed: bool = False, dry_run: bool = False
    ) -> tuple[Written, ...]:
        """Write the entry for memory as tools of an agent, after a copy; deny it to the others.

        Returns:
            The copy, and the configuration; nothing when everything stands there already.

        Raises:
            UnknownAgentError: There is no such agent.
            ReadOnlyError: Nothing may be changed.
            ConcurrentEditError: Someone changed the configuration meanwhile; it was left alone.
            PlatformConfigError: This release has no such entries, an entry of that name is somebody
                else's or stands in a part, another agent cannot be denied it, or the file cannot be
                changed.
        """
        self._require_writing("hooks install", dry_run=dry_run)
        seen, changes = self._wanted(agent_id, are_notes_allowed=are_notes_allowed)
        return self._changed(seen, changes, dry_run=dry_run)

    def patch_of_tools(self, agent_id: str, *, are_notes_allowed: bool = False) -> str:
        """Return what `install_tools` would change, as a patch; it raises the same."""
        from difflib import unified_diff  # noqa: PLC0415 - a dry run alone

        seen, changes = self._wanted(agent_id, are_notes_allowed=are_notes_allowed)
        before, after = seen.text.splitlines(), _edited(seen, changes)[0].splitlines()
        return "\n".join([*unified_diff(before, after, n=0, lineterm="")][2:])

    def _wanted(
        self, agent_id: str, *, are_notes_allowed: bool
    ) -> tuple[ConfigText, tuple[Change, ...]]:
        home = self._home()
        places = {name: value for name in _PLACES if (value := os.environ.get(name))}
        agent, program = find_agent(home, agent_id).id, self.folder.program
        entry = McpEntry(agent, program, str(home.path), are_notes_allowed, places)
        self._require_servers(home)
        seen = self._config_file().read()
        if seen is None:
            raise PlatformConfigError("the platform has no configuration file to write into")
        whole = self._config_file().whole(seen)
        if is_taken(whole.root, entry.name):
            raise PlatformConfigError(
                f"the entry {entry.name} is somebody else's: it was left alone"
            )
        if part := next((one for one in whole.parts if entry.name in entries(one.root)), None):
            raise PlatformConfigError(
                one_line(f"{part.path} has the entry {entry.name}: a part ($include) is not ours"),
                "Both would count together: take it out there by hand, then again.",
            )
        denied, by_hand = denials(
            seen.root, entry.agent, _others(home, entry.agent), whole=whole.root
        )
        if by_hand:
            raise PlatformConfigError(
                f"{', '.join(by_hand)} could read this memory, and cannot be denied it from here",
                f'Add "{entry.name}__*" to `tools.deny` of each in the configuration, then again.',
            )
        return seen, (*entry.changes(), *denied)

    def remove_tools(
        self, agent_id: str | None = None, *, hooks: Sequence[str] = (), dry_run: bool = False
    ) -> Removed:
        """Take our entries, or that of one agent, out of the configuration, after a copy.

        Args:
            agent_id: Only this agent's; None for all.
            hooks: What switches these on goes, too.
            dry_run: Only say it.

        Raises:
            ReadOnlyError: Nothing may be changed.
            ConcurrentEditError: Someone changed the configuration meanwhile; it was left alone.
            PlatformConfigError: It cannot be read or changed.
        """
        self._require_writing("hooks remove", dry_run=dry_run)
        seen = self._config_file().read()
        if seen is None:
            return Removed()
        parts, left = self._parts(seen)
        roots = (seen.root, *(one.root for one in parts))
        wanted = None if agent_id is None else server_name(agent_id)
        found = dict.fromkeys(name for root in roots for name in entries(root))
        names = [name for name in found if wanted in (None, name)]
        for one in parts:
            if keys := left_in(one.root, names, hooks):
                left.append(
                    f"{one.path} still has {', '.join(keys)}: a part ($include) is not ours"
                )
        # What denies an entry to others goes only with the entry itself.
        free = [it for it in names if not any(it in entries(one.root) for one in parts)]
        changes = (*(removals(seen.root, free) if free else ()), *switched_on(seen.root, hooks))
        if seen.obstacle:
            if keys := left_in(seen.root, names, hooks):
                left.append(f"{seen.path} {seen.obstacle}: it still has {', '.join(keys)}")
            changes = ()
        wrote = self._changed(seen, changes, dry_run=dry_run) if changes else ()
        return Removed((), wrote, tuple(map(one_line, left)))

    def _parts(self, seen: ConfigText) -> tuple[tuple[ConfigPart, ...], list[str]]:
        """Return the parts of the configuration; or why nobody can look into them."""
        try:
            return self._config_file().whole(seen).parts, []
        except PlatformConfigError as error:
            return (), [f"{error}; what it has of ours stays"]

    def tools(self, *, asks: bool = False) -> Iterator[HookStatus]:
        """Yield our entries as they are now, and what proves that the platform starts them.

        Args:
            asks: Let the platform's own program start each of them, which takes seconds.
        """
        try:
            seen = self._config_file().read()
        except PlatformConfigError:
            seen = None
        if seen is None:
            return
        places: dict[str, Path] = {}
        with suppress(PlatformConfigError):  # the notices of the home tell it
            whole = self._config_file().whole(seen)
            places = {name: one.path for one in whole.parts for name in entries(one.root)}
            seen = replace(seen, root=whole.root)
        home = self._home()
        for name, agent in entries(seen.root).items():
            found = self._as_written(seen, name, agent, home)
            found = replace(found, path=str(places.get(name, found.path)))
            yield self._proven(found, asks=asks) if found.is_enabled else found

    def _as_written(self, seen: ConfigText, name: str, agent: str, home: Home) -> HookStatus:
        """Return one entry as the configuration has it."""
        renew = f"`memconsole hooks install --mcp --agent {agent}`"
        program, place = self.folder.program, str(home.path)
        usual = (McpEntry(agent, program, place, can_note) for can_note in (False, True))
        shared = open_to(seen.root, agent, _others(home, agent))
        is_on = is_enabled(seen.root, name)
        state, message, hint = HookState.INSTALLED, "its entry is written", ""
        if not any(one.is_in(seen.root) for one in usual):
            state, message, hint = HookState.OUTDATED, "its entry is another version", "renews it"
        elif shared:
            message, hint = f"{', '.join(shared)} can read this memory too", "denies it to them"
        elif not is_on:
            message = "its entry is switched off"
        hint = f"{renew} {hint}." if hint else ""
        return HookStatus(
            name, str(seen.path), state, is_on, message, hint, self.folder.called_at(name)
        )

    def _proven(self, one: HookStatus, *, asks: bool) -> HookStatus:
        """Add what says that the platform starts a server, or that it cannot."""
        obstacle = self.folder.obstacle_of_server(one.name) if asks else None
        if obstacle == "":
            message = f"{one.message}, and the platform starts it: it offers its tools"
            return replace(one, message=message, proof="platform")
        if obstacle is not None:
            return replace(
                one, message=f"{one.message}, and the platform cannot use it: {obstacle}"
            )
        if one.called_at is not None:
            return replace(one, proof="call")
        message = f"{one.message}; no call of it was seen yet"
        return replace(one, message=message, hint=one.hint or "A Gateway takes it up by itself.")

    def _changed(
        self, seen: ConfigText, changes: Sequence[Change], *, dry_run: bool
    ) -> tuple[Written, ...]:
        """Change the configuration in place, and look whether it holds what was meant."""
        file = self._config_file()
        require_changeable(seen)
        text, edits = _edited(seen, changes)
        if not edits:
            return ()
        wanted = with_changes(seen.root, changes)
        if file.decode(text) != wanted:
            raise PlatformConfigError(f"{seen.path} was not changed: more would change than should")
        if dry_run:
            size = len(text.encode("utf-8", "surrogateescape"))
            return (Written(str(seen.path), size, seen.mode),)
        copy = file.back_up(seen)
        written = file.replace(text, seen=seen)
        done = file.read()
        if done is None or done.root != wanted:
            raise PlatformConfigError(
                f"{seen.path} does not hold what was set a moment ago",
                f"What was there before is in {copy.path}.",
            )
        return copy, written

    def _require_servers(self, home: Home) -> None:
        """Refuse a release that would refuse its configuration, and one that nobody knows."""
        version = home.config.last_version
        if release_of(version) is None:
            version = self._gateway.read().status.version
        release = release_of(version) or least_release(home.era)
        if release is None or release < HAS_MCP_SERVERS:
            known = (
                "nobody knows which release this is" if release is None else f"this is {version}"
            )
            raise PlatformConfigError(
                f"MCP servers stand in the platform's configuration from 2026.8 on, and {known}",
                "An older one refuses a configuration with `mcp`. `memconsole mcp` itself works.",
            )

    def _require_writing(self, name: str, *, dry_run: bool) -> None:
        if self._is_read_only and not dry_run:
            raise ReadOnlyError(name)


def _edited(seen: ConfigText, changes: Sequence[Change]) -> tuple[str, Sequence[Edit]]:
    try:
        return edit(seen.text, changes)
    except EditError as error:
        raise PlatformConfigError(f"{seen.path} was not changed: {error}") from None


def _others(home: Home, agent: str) -> list[str]:
    return [one.id for one in home.agents if one.is_configured is not False and one.id != agent]
