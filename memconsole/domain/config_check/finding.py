"""Findings in the platform's configuration, and the facts that its checks look at.

A finding names its key, what stands there, why that matters and what would be better. What
memconsole may set itself is a `Change`; everything else is advice for a person.

`status` has to answer at once, and most homes are fine: the two functions for it say only "never"
or "maybe", load nothing, and leave the decision to the checks.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.agents import Era, at, part
from memconsole.domain.release import least_release, release_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.domain.agents import Notice, PlatformConfig, Severity
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.transcripts.records import Compaction


Settable: TypeAlias = "str | int | float | bool | tuple[str, ...] | None"
"""What a change may set; whole objects are never written, and None takes the key away."""

_SHOWN_CHARS = 200

UNSET = "not set"
"""What stands for a key that is not there, in `current`."""


@dataclass(frozen=True, slots=True)
class Change:
    """One value of the platform's configuration that would be set.

    Attributes:
        keys: Path of the key from the top, such as `("agents", "defaults")`.
        value: What to set.
    """

    keys: tuple[str, ...]
    value: Settable

    @property
    def key(self) -> str:
        """The path with dots, as the platform's own program takes it."""
        return ".".join(self.keys)

    @property
    def words(self) -> str:
        """The change as one reads it: `session.reset.atHour = 5`."""
        if self.value is None:
            return f"no {self.key}"
        return f"{self.key} = {json.dumps(self.value, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of `config check`: the finding of the contract.

    Attributes:
        id: Stable word of the check.
        why: One sentence of fact, clean for a terminal.
        key: Path of the key with dots; None when it is about no key.
        current: What stands there; `not set`, or None when nobody could look.
        recommended: What should stand there; None when nothing is recommended.
        changes: What `config fix` would set.
        path: The file it is about.
        agent: Agent id, when it is about one.
        hint: One sentence that says what to do; empty when `changes` say it.
        is_certain: False when it rests on something that nobody knows, such as the release.
        details: Single cases, such as the sessions of the evidence.
    """

    id: str
    severity: Severity
    why: str
    key: str | None = None
    current: Detail = None
    recommended: Detail = None
    changes: tuple[Change, ...] = ()
    path: str | None = None
    agent: str | None = None
    hint: str = ""
    is_certain: bool = True
    details: tuple[Mapping[str, Detail], ...] = ()

    @property
    def fix(self) -> str | None:
        """The changes in words; None when memconsole would not set anything."""
        return "; ".join(change.words for change in self.changes) or None


@dataclass(frozen=True, slots=True)
class WindowUse:
    """A context window that some session or model has.

    Attributes:
        tokens: Its size.
        name: Session key or model that has it.
        threshold: Tokens at which rotation takes such a session.
        is_assumed: Nobody names a window; this is the platform's own fallback.
    """

    tokens: int
    name: str
    threshold: int
    agent: str | None = None
    is_assumed: bool = False


@dataclass(frozen=True, slots=True)
class ConfigFacts:
    """Everything that the checks look at, gathered before.

    Attributes:
        release: The platform's version as text; None when nobody knows it.
        era: Where each feature keeps its data: newer places prove a newer release.
        windows: In use, or at least configured.
        evidence: What the transcripts say; None when nobody could look.
        pools: Memory folders, for the bootstrap budget.
        unreadable_because: Why the configuration cannot be read, as a sentence.
        hooks: Files by name of each folder in the home's `hooks/`; None when nobody could look.
        wrong_settings: Sections of our own configuration that cannot be used, and a `TZ` that names
            no time zone.
        assume: `freshness.assume`.
    """

    config: PlatformConfig
    release: str | None = None
    windows: tuple[WindowUse, ...] = ()
    era: Era = field(default_factory=Era)
    evidence: CompactionEvidence | None = None
    pools: tuple[Pool, ...] = ()
    hooks: Mapping[str, frozenset[str]] | None = None
    unreadable_because: str = ""
    wrong_settings: tuple[Notice, ...] = ()
    assume: str = "auto"

    @property
    def least_release(self) -> tuple[int, int, int] | None:
        """The release, or the oldest that keeps its data as this home does; None when unknown."""
        return release_of(self.release) or least_release(self.era)

    def at(self, *keys: str) -> object:
        """Return what stands at a path of the checked configuration; None when it is not set."""
        return at(self.config.checked, *keys)


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """All findings, worst first.

    Attributes:
        path: The configuration file; None when there is none.
        release: The platform's version; None when nobody knows it.
        looked_at: Transcripts that were read for the evidence.
    """

    findings: tuple[Finding, ...]
    path: str | None = None
    release: str | None = None
    looked_at: int = 0
    evidence: CompactionEvidence | None = field(default=None, repr=False)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What `config fix` would set, each key once."""
        by_key = {change.keys: change for one in self.findings for change in one.changes}
        return tuple(by_key.values())


def whole(value: object) -> int | None:
    """Return a number of tokens that a person wrote; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= 1 << 53 else None


def shown(value: object) -> Detail:
    """Return what stands at a key so that it can be told."""
    if value is None:
        return UNSET
    if isinstance(value, str):
        return cut(let_out(one_line(value)), _SHOWN_CHARS) or "an empty text"
    if isinstance(value, int | float):
        return value
    return f"a {'list' if isinstance(value, list) else 'block'}"


_USUAL_SOFT_TOKENS = 4_000
_LOST_WORDS = ("summary unavailable", "no prior history")


def may_be_lost(compaction: Compaction, min_duration_ms: int) -> bool:
    """Whether a compaction may have lost turns; False is certain."""
    words = compaction.summary.lower()
    is_quick = compaction.duration_ms is not None and compaction.duration_ms < min_duration_ms
    # A list of files alone is no summary either.
    is_thin = not words.strip() or "-files>" in words
    return is_quick or is_thin or any(one in words for one in _LOST_WORDS)


def may_be_grave(config: PlatformConfig, release: str | None, least_window: int | None) -> bool:
    """Whether the configuration may be wrong in a grave way; False is certain.

    Args:
        config: The platform's configuration.
        release: The version that runs, as far as it is known.
        least_window: The smallest window in use, in tokens; None when none is known.
    """
    if not config.is_readable:
        return False
    compaction = part(config.checked, "agents", "defaults", "compaction")
    flush = part(compaction, "memoryFlush")
    older = at(config.checked, "compaction", "mode")
    mode = compaction.get("mode")
    if release is not None and (older if mode is None else mode) != "default":
        return True
    if flush.get("enabled") not in (None, True):
        return True
    soft = flush.get("softThresholdTokens")
    soft = soft if isinstance(soft, int | float) else _USUAL_SOFT_TOKENS
    return least_window is not None and least_window - config.reserve_tokens - soft <= 0


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration on its way to being changed; it may hold secrets and is never shown.

    Attributes:
        text: Every byte of it; what is no UTF-8 comes as lone surrogates.
        version: Modification time in ns, size in bytes and SHA-256.
        root: Decoded.
        is_plain: Plain JSON without comments: a rewriting program loses nothing of it.
        mode: Such as `0600`.
        obstacle: Why it is never changed from here, such as "is a symbolic link"; empty mostly.
    """

    path: Path
    text: str = field(repr=False)
    version: tuple[int, int, str]
    root: Mapping[str, object] = field(repr=False)
    is_plain: bool = False
    mode: str = "0600"
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class ConfigPart:
    """A file that the configuration names by `$include`; it is never changed from here.

    Attributes:
        keys: Where in the configuration it stands; a place in a list is a number.
        value: What it says by itself.
    """

    path: Path
    keys: tuple[str, ...]
    value: object = field(repr=False)

    @property
    def root(self) -> Mapping[str, object]:
        """A configuration that says what it says, where it stands, and nothing else."""
        made = self.value
        for key in reversed(self.keys):
            made = {key: made}
        return made if isinstance(made, dict) else {}


@dataclass(frozen=True, slots=True)
class ConfigWhole:
    """A configuration with its parts in their places, and each of them alone."""

    root: Mapping[str, object] = field(repr=False)
    parts: tuple[ConfigPart, ...] = ()
