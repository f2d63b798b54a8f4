"""Adds what is worth remembering in an agent's sessions to observations.md.

Needs neither the Gateway nor a language model; the optional model may find the observations of a
batch, and the cues do where it does not. The workspace's lock is held from the first look to the
last write; how far the run has come is stored behind the write that it describes, so that a run
that is killed in between looks again, and finds its lines in the file already.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import span
from memconsole.domain.commands.observe import Observed
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.observation_log import add, appended, parse
from memconsole.domain.memory.observations import OBSERVATIONS, new_log, render
from memconsole.domain.model import observe_prompt, read_observations
from memconsole.domain.observe.model import said, taken
from memconsole.domain.observe.rules import Observer, batches, distinct, input_hash
from memconsole.domain.transcripts.notices import masked_notice, planted_notice
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.model import ask, is_on
from memconsole.engine.observe.read import Scene, gather
from memconsole.engine.turn import in_turn, no_workspace
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out, way_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.observe import Observe
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.domain.memory.records import WorkspaceText
    from memconsole.domain.observe.rules import Extracted, Part
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.observe.read import Picked
    from memconsole.ports.bundle import Ports


_OLDER = (
    "`memconsole observe --flush` looks back further, `memconsole observe --recover ID` to the end "
    "of that talk."
)

_NO_TEXT = "\ufffd"
"""Stands for bytes that are no text: a file that holds them is never written whole."""


@dataclass(slots=True)
class _Tally:
    """What the batches of one run came to."""

    added: list[Observation] = field(default_factory=list)
    wrote: list[Written] = field(default_factory=list)
    found: int = 0
    duplicates: int = 0
    over: int = 0
    masked: int = 0
    planted: int = 0
    llm: dict[str, Detail] = field(default_factory=dict)


def observe(command: Observe, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Observe an agent's talks, or the one that is named.

    Raises:
        UnknownAgentError: There is no such agent.
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The store or the transcript cannot be read.
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
        WorkspaceError: The file cannot be read or written; its old text is whole.
        StateError: Our own database cannot be written.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    scene = Scene(command, home, agent, ports, settings)
    if command.dry_run:
        return _attempt(scene)
    return in_turn(agent, lambda: _attempt(scene), ports=ports, reader=reader, settings=settings)


def _attempt(scene: Scene) -> Outcome:
    """Gather, decide, apply, once; behind it, remember the end of a talk of nobody."""
    picked = gather(scene)
    if isinstance(picked, Skipped):
        return picked
    outcome = _look_at(scene, picked)
    if picked.end is not None and not scene.command.dry_run:
        at = scene.ports.clock.now()
        scene.ports.recovery.remember(scene.agent.ref, *picked.end, at)
    return outcome


def _look_at(scene: Scene, picked: Picked) -> Outcome:
    if picked.lines < (1 if scene.mode in ("flush", "recover") else scene.observer.min_lines):
        return _too_few(scene, picked)
    hash_ = input_hash(picked.parts)
    last = scene.ports.observer.last(scene.agent.ref)
    is_known = last is not None and last[0] == hash_
    if is_known and scene.mode in ("normal", "morning"):
        message = f"nothing was said in the talks of {scene.agent.id} since the last run"
        return _skipped(scene, picked, SkipReason.NOTHING_NEW, message)
    tally = _Tally()
    for batch in batches(picked.parts):
        _observe(scene, batch, hash_, tally)
    return _told(scene, picked, tally)


def _observe(scene: Scene, batch: Sequence[Part], hash_: str, tally: _Tally) -> None:
    """Extract from one batch, write, then remember."""
    workspace, root = scene.ports.workspace, scene.agent.workspace
    seen = workspace.read(root, OBSERVATIONS)
    log = parse("" if seen is None else seen.text)
    if scene.command.dry_run:
        log = add(log, tally.added)
    observer = Observer(
        agent_id=scene.agent.id,
        mask=way_out(redacts=scene.settings.redact),
        zone=scene.zone,
        now=scene.ports.clock.now(),
        min_score=scene.observer.min_score,
        max_items=scene.observer.max_items,
    )
    extracted, tally.llm = extract(scene, observer, batch, log)
    new = distinct(extracted.observations, log)
    tally.found += extracted.found
    tally.duplicates += extracted.duplicates
    tally.over += extracted.over
    tally.masked += extracted.masked
    tally.planted += extracted.planted
    tally.added += new
    if scene.command.dry_run:
        size = sum(len(render(one).encode()) + 1 for one in new)
        tally.wrote += [Written(OBSERVATIONS, size)] if new else []
        return
    if new:
        tally.wrote.append(_write(scene, seen, log, new))
    cursors = {part.session_id: part.cursor for part in batch}
    scene.ports.observer.advance(scene.agent.ref, hash_, cursors, scene.ports.clock.now())


def _write(
    scene: Scene, seen: WorkspaceText | None, log: ObservationLog, new: Sequence[Observation]
) -> Written:
    """Append where that is enough; replace only to put lines under an earlier day.

    A file with bytes that are no text is only ever appended to: written whole it would lose them.
    """
    workspace, root = scene.ports.workspace, scene.agent.workspace
    header = new_log()
    grown = add(log, new)
    entry = appended(log, grown) if log.text else appended(header, grown)
    if entry is None and _NO_TEXT in log.text:
        entry = appended(header, add(header, new))
    if entry is None:
        return workspace.replace(root, OBSERVATIONS, grown.text, seen=seen)
    return workspace.append(root, OBSERVATIONS, entry, header=header.text)


def _too_few(scene: Scene, picked: Picked) -> Skipped:
    number = picked.lines
    said = "nothing new was" if not number else f"only {number} new message was"
    reason = SkipReason.TOO_FEW_MESSAGES if number else SkipReason.NOTHING_NEW
    limit = f", and observer.min_lines is {scene.observer.min_lines}" if number else ""
    if not picked.older:
        return _skipped(scene, picked, reason, f"{said} said to {scene.agent.id}{limit}")
    back = span(scene.lookback)
    many = "1 older message was" if picked.older == 1 else f"{picked.older} older messages were"
    message = f"{said} said to {scene.agent.id} in the last {back}{limit}; {many} not looked at"
    return _skipped(scene, picked, reason, message, _OLDER)


def _skipped(
    scene: Scene, picked: Picked, reason: SkipReason, message: str, hint: str = ""
) -> Skipped:
    return Skipped(
        scene.command,
        reason,
        message,
        hint=hint,
        details=_details(scene, picked, _Tally()),
        notices=picked.notices,
    )


def _details(scene: Scene, picked: Picked, tally: _Tally) -> dict[str, Detail]:
    return {
        "mode": scene.mode,
        "sessions": [part.session_id for part in picked.parts],
        "read": picked.read,
        "looked_at": picked.lines,
        "found": tally.found,
        "added": len(tally.added),
        "duplicates": tally.duplicates,
        "over": tally.over,
        "secrets_masked": tally.masked,
        "planted": tally.planted,
        "lines": [render(one).partition(" <!--")[0] for one in tally.added],
        **tally.llm,
    }


def _told(scene: Scene, picked: Picked, tally: _Tally) -> Outcome:
    command, details = scene.command, _details(scene, picked, tally)
    number, lines = len(tally.added), picked.lines
    notices = (*picked.notices, *_kept_out(scene, tally))
    messages = "1 message" if lines == 1 else f"{lines} messages"
    if not number:
        why = "is known already" if tally.duplicates else "is worth remembering"
        subject = "all that is worth remembering" if tally.duplicates else "nothing"
        message = f"{subject} in {messages} of {scene.agent.id} {why}"
        return Skipped(command, SkipReason.NOTHING_NEW, message, details=details, notices=notices)
    things = "1 observation" if number == 1 else f"{number} observations"
    rest = f"; {tally.over} less important ones were left out" if tally.over else ""
    said = f"{things} from {messages} of {scene.agent.id}{rest}"
    if command.dry_run:
        size = sum(one.size_bytes for one in tally.wrote)
        wrote = (Written(OBSERVATIONS, size),)
        return Planned(command, f"would add {said}", wrote, details, notices=notices)
    return Observed(
        command, f"added {said}", wrote=tuple(tally.wrote), details=details, notices=notices
    )


def _kept_out(scene: Scene, tally: _Tally) -> Iterator[Notice]:
    path = str(scene.agent.workspace / OBSERVATIONS)
    label = f"the talks of {scene.agent.id}"
    if tally.masked:
        yield masked_notice(label, tally.masked, path=path, agent=scene.agent.id)
    if tally.planted:
        yield planted_notice(label, tally.planted, path=path, agent=scene.agent.id)


def extract(
    scene: Scene, observer: Observer, batch: Sequence[Part], log: ObservationLog
) -> tuple[Extracted, dict[str, Detail]]:
    """Return what is worth adding, and `llm` of the outcome, empty when no model was wanted.

    A dry run asks no model: it costs something.
    """
    own = observer.extract(batch, log)
    if not is_on(scene.settings) or scene.command.dry_run:
        return own, {}
    known = [render(one).partition(" <!--")[0] for one in log.observations]
    # What leaves this host is masked, whatever the settings.
    masked = replace(observer, mask=let_out)
    prompt = observe_prompt(said(masked, batch), [let_out(line) for line in known])
    answer = ask(prompt, ports=scene.ports, settings=scene.settings)
    if answer.completion is None:
        return own, answer.details()
    found = read_observations(answer.completion.text)
    if found is None:
        return own, answer.details(because="its answer is not in the form that was asked for")
    new = observer.new_ones(taken(masked, batch, found), log, own.masked)
    return replace(new, planted=own.planted), answer.details()
