"""Decodes what the platform noted in a session's entry about the beginning of its last request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from memconsole.adapters.sessions.entry_fields import whole
from memconsole.domain.sessions.composition import LoadedFile, PromptReport
from memconsole.text.timestamps import NO_TIME, moment

if TYPE_CHECKING:
    from collections.abc import Iterator


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
