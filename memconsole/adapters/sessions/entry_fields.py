"""The few fields of a session entry that are used; both stores hold the same JSON object.

A real entry has 15 to 40 KB, nearly all of it a snapshot of skills and prompts, so only named
fields are decoded. One field of a wrong type must not cost the others: then each is tried alone.

Fields: `docs/formats.md`, "Session entries".
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from memconsole.domain.sessions.composition import LoadedFile, PromptReport
from memconsole.domain.sessions.stored import CompactionPoint, TranscriptState
from memconsole.text.timestamps import NO_TIME, moment, sound

if TYPE_CHECKING:
    from collections.abc import Iterator


_NEVER = datetime.min.replace(tzinfo=UTC)

_LARGEST = 2**53
"""The platform counts in JavaScript numbers; beyond this they are not exact."""


class PointFields(msgspec.Struct, frozen=True, rename="camel"):
    """One of an entry's `compactionCheckpoints`."""

    checkpoint_id: str
    created_at: object = None
    tokens_before: float | None = None


class EntryFields(msgspec.Struct, frozen=True, rename="camel"):
    """A session entry; everything may be missing. Times are as written, for `text.timestamps`."""

    session_id: str | None = None
    session_file: str | None = None
    updated_at: object = None
    session_started_at: object = None
    lifecycle_revision: str | None = None
    last_interaction_at: object = None
    started_at: object = None
    archived_at: object = None
    total_tokens: float | None = None
    total_tokens_fresh: bool | None = None
    total_tokens_version: float | None = None
    context_tokens: float | None = None
    compaction_count: float | None = None
    status: str | None = None
    has_active_run: bool | None = None
    label: str | None = None
    display_name: str | None = None
    subject: str | None = None
    channel: str | None = None
    last_channel: str | None = None
    chat_type: str | None = None
    model: str | None = None
    model_provider: str | None = None
    model_override: str | None = None
    provider_override: str | None = None
    thinking_level: str | None = None
    parent_session_key: str | None = None
    spawned_by: str | None = None
    compaction_checkpoints: list[PointFields] | None = None

    @property
    def points(self) -> tuple[CompactionPoint, ...]:
        """The places before its compactions, the newest first; those without a time come last."""
        found = [
            CompactionPoint(one.checkpoint_id, moment(one.created_at), whole(one.tokens_before))
            for one in self.compaction_checkpoints or ()
        ]
        return tuple(sorted(found, key=lambda one: one.at or _NEVER, reverse=True))

    @property
    def names(self) -> tuple[str, ...]:
        """What the session is called, each once; the first goes before the others."""
        names = (self.label, self.display_name, self.subject)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def next_model(self) -> str | None:
        """`provider/model` that was chosen for the next runs; None when nothing was chosen."""
        provider = self.provider_override or self.model_provider
        return f"{provider}/{self.model_override}" if provider and self.model_override else None

    @property
    def is_active(self) -> bool | None:
        """Whether a run is going on; None when the entry cannot say."""
        if self.has_active_run is not None:
            return self.has_active_run
        return None if self.status is None else self.status == "running"

    @property
    def had_content(self) -> bool:
        """Whether tokens or compactions say that it ran once; then a transcript was written."""
        return bool(whole(self.total_tokens) or whole(self.compaction_count))

    @property
    def absent_transcript(self) -> TranscriptState:
        """What it means that no transcript is found."""
        return TranscriptState.MISSING if self.had_content else TranscriptState.NONE


_WHOLE = msgspec.json.Decoder(EntryFields)

_PIECES = msgspec.json.Decoder(dict[str, msgspec.Raw])

_BY_NAME = {field.encode_name: field for field in msgspec.structs.fields(EntryFields)}


def decode_entry(raw: bytes | msgspec.Raw) -> EntryFields | None:
    """Decode one entry; a field of a wrong type counts as missing, a time is kept as written.

    Returns:
        None when it is no JSON object.
    """
    try:
        return _WHOLE.decode(raw)
    except (ValueError, RecursionError):
        pass
    try:
        pieces = _PIECES.decode(raw)
    except (ValueError, RecursionError):
        return None
    found = {}
    for name, piece in pieces.items():
        if (field := _BY_NAME.get(name)) is not None:
            try:
                found[field.name] = msgspec.json.decode(piece, type=field.type)
            except (ValueError, RecursionError):
                if field.type is object:  # a time that no number holds is told, too
                    found[field.name] = bytes(piece)
    return EntryFields(**found)


def whole(value: float | str | bytes | None) -> int | None:
    """Return a count; None for what cannot be one, such as a negative or fractional number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _LARGEST and value == int(value) else None


def run_began(fields: EntryFields, status: str | None) -> datetime | None:
    """Return when the run that is going on began; None when there is none, or nobody says."""
    return sound(moment(fields.started_at)) if status == "running" else None


class _Prompt(msgspec.Struct, rename="camel"):
    project_context_chars: float = 0
    non_project_context_chars: float = 0


class _Skills(msgspec.Struct, rename="camel"):
    prompt_chars: float = 0


class _Tools(msgspec.Struct, rename="camel"):
    list_chars: float = 0
    schema_chars: float = 0


class _File(msgspec.Struct, rename="camel"):
    name: str = ""
    missing: bool = False
    raw_chars: float | None = None
    injected_chars: float = 0


class _Report(msgspec.Struct, rename="camel"):
    generated_at: object = None
    system_prompt: _Prompt = msgspec.field(default_factory=_Prompt)
    skills: _Skills = msgspec.field(default_factory=_Skills)
    tools: _Tools = msgspec.field(default_factory=_Tools)
    injected_workspace_files: list[_File] = msgspec.field(default_factory=list)


class _Entry(msgspec.Struct, rename="camel"):
    system_prompt_report: _Report | None = None


_DECODER = msgspec.json.Decoder(_Entry)


def decode_report(raw: bytes | msgspec.Raw) -> PromptReport | None:
    """Return the report in a session's entry; None when there is none that can be read."""
    try:
        report = _DECODER.decode(raw).system_prompt_report
    except (ValueError, RecursionError):
        return None
    if report is None:
        return None
    at = moment(report.generated_at)
    skills = whole(report.skills.prompt_chars) or 0
    listed = whole(report.tools.list_chars) or 0
    prompt = whole(report.system_prompt.non_project_context_chars) or 0
    project = whole(report.system_prompt.project_context_chars) or 0
    files = tuple(_files(report))
    around = max(project - sum(one.chars for one in files), 0)
    return PromptReport(
        prompt_chars=max(prompt - skills - listed, 0) + around,
        skills_chars=skills,
        tools_chars=listed + (whole(report.tools.schema_chars) or 0),
        files=files,
        at=None if at == NO_TIME else at,
    )


def _files(report: _Report) -> Iterator[LoadedFile]:
    for one in report.injected_workspace_files:
        loaded = whole(one.injected_chars)
        if one.name and not one.missing and loaded is not None:
            yield LoadedFile(one.name, whole(one.raw_chars), loaded)
