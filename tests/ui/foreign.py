"""A home in which others chose every text, without a word of pytest: consoles start over it too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.memory.files import Marker, PoolItem
from memconsole.domain.transcripts.records import Message, MessageKind
from tests.ui import sample
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

EVIL = "[bold red]ALERT[/bold red] [@click=app.quit]press me[/] [/INST]"
STEERING = "a\x1b[31mred\x1b]0;window name\x07\x9b2Jb\u202edesrever\x00c"
SECRET = "sk-ant-api03-" + "A1b2C3d4E5" * 9


def foreign(text: str) -> ConsoleSnapshot:
    """A home in which everything that others name is called `text`."""
    session = sample.view(
        sample.stored("main", f"telegram:direct:{text}", 1, label=text), sample.fresh(9)
    )
    agent = sample.agent("main", name=text)
    pool = replace(
        sample.pool("main"),
        items=(PoolItem(f"memory/{text}.md", 10, 2, False, True, text),),
        notices=(Notice("twin-memory", text, text, "main"),),
    )
    runs = tuple(replace(run, message=text, command_line=text) for run in sample.runs())
    view = sample.agent_view(agent, (session,), pool=pool, problems=(Notice("x", text),))
    return sample.snapshot(
        (view,), (session,), activity=runs, notices=(Notice("clock-skew", text),)
    )


def engine_for(text: str) -> FakeEngine:
    """An engine over such a home."""
    engine = FakeEngine(foreign(text))
    furnish(engine)
    [view] = engine.reading.sessions  # type: ignore[union-attr]  # it is a reading
    message = Message(MessageKind.MESSAGE, text, at=sample.NOW, role=text, attachments=(text,))
    transcript = engine.transcripts["agent:main:main"]
    detail = engine.details["agent:main:main"]
    engine.transcripts[view.key_text or ""] = replace(transcript, messages=(message,))
    engine.details[view.key_text or ""] = detail
    engine.texts[f"memory/{text}.md"] = f"# {text}\n\n- DECISION: {text}\n"
    engine.marked = (("main", Marker("DECISION", f"memory/{text}.md", 3, text)),)
    return engine
