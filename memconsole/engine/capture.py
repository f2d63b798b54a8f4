"""What writes into memory beside the checkpoint: summaries, recovery, reflection, INDEX.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from memconsole.domain.commands.commands import Flush, IndexMd, Observe, Recover, Reflect, Summarize

if TYPE_CHECKING:
    from memconsole.domain.commands.commands import CaptureCommand
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports

_COMPARES: Final = (Flush, Observe, Recover, Reflect)
"""They compare lines, and keep what they looked up of each until they end."""


def capture(
    command: CaptureCommand, *, ports: Ports, reader: Reader, settings: Settings
) -> Outcome:
    """Run one of them; raises what it raises."""
    try:
        return _captured(command, ports, reader, settings)
    finally:
        if isinstance(command, _COMPARES):
            from memconsole.domain.memory.similarity import forget  # noqa: PLC0415 - they have loaded it

            forget()


def _captured(command: CaptureCommand, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    match command:
        case Observe():
            from memconsole.engine.observe.run import observe  # noqa: PLC0415

            return observe(command, ports=ports, reader=reader, settings=settings)
        case Summarize():
            from memconsole.engine.summarize import summarize  # noqa: PLC0415

            return summarize(command, ports=ports, reader=reader, settings=settings)
        case Flush():
            from memconsole.engine.flush.run import flush  # noqa: PLC0415

            return flush(command, ports=ports, reader=reader, settings=settings)
        case Recover():
            from memconsole.engine.recover.run import recover  # noqa: PLC0415

            return recover(command, ports=ports, reader=reader, settings=settings)
        case Reflect():
            from memconsole.engine.reflect.run import reflect  # noqa: PLC0415

            return reflect(command, ports=ports, reader=reader, settings=settings)
        case IndexMd():
            from memconsole.engine.index_md import index_md  # noqa: PLC0415

            return index_md(command, ports=ports, reader=reader, settings=settings)
        case _:
            assert_never(command)
