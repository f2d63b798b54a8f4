"""Runs one call and turns whatever happens into a sentence and an exit code."""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer
from typer.exceptions import TyperException

from memconsole.cli import exits
from memconsole.cli.app import app
from memconsole.cli.call import Call
from memconsole.cli.complete import join_bash_words
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from memconsole.cli.call import EngineBuilder

logger = logging.getLogger(__name__)

_STOPPERS = (signal.SIGTERM, signal.SIGHUP)


def main(arguments: Sequence[str] | None = None, *, build: EngineBuilder | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Words behind the program's name; None takes those of the process.
        build: Makes the engine; None takes the one of this host.

    Returns:
        The exit code of `cli.md`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    call = Call(build)
    call.is_json_asked = is_json_asked(words)
    join_bash_words(os.environ)
    with _stopped_like_interrupted(), call.resources:
        return _guarded(call, words)


def is_json_asked(words: Sequence[str]) -> bool:
    """Tell whether `--json` stands anywhere, so that even a wrong call is answered in JSON."""
    before = words[: words.index("--")] if "--" in words else words
    return "--json" in before


def _guarded(call: Call, words: list[str]) -> int:
    try:
        result = app(args=words, prog_name="memconsole", standalone_mode=False, obj=call)
    except MemconsoleError as error:
        return _fail(call, error.code, str(error), error.hint, exits.exit_of(error))
    except TyperException as error:
        return _fail(call, "usage", *_usage(error), exits.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        result = exits.INTERRUPTED
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        return _fail(call, "failed", f"{error.strerror or error}{place}", "", exits.FAILED)
    except Exception as error:  # the edge of the process: a bug is told, never thrown at people
        return _bug(call, error)
    if result == exits.INTERRUPTED:
        return _fail(call, "interrupted", "interrupted", "", exits.INTERRUPTED)
    return result if isinstance(result, int) else exits.DONE


def _fail(call: Call, code: str, message: str, hint: str, exit_code: int) -> int:
    """Say one sentence of fact and one of help; with `--json` also as the answer."""
    from memconsole.cli import encode, encode_outcome, safe  # noqa: PLC0415  # for failures only

    lines = [f"memconsole: {safe.line(message)}"]
    if hint:
        lines.append(f"  {safe.line(hint)}")
    call.output.error(*lines)
    if call.is_json_asked:
        with suppress(OSError):
            call.output.json(encode.dump(encode_outcome.error(code, message, hint)))
    return exit_code


def _bug(call: Call, error: Exception) -> int:
    if logger.isEnabledFor(logging.INFO):
        logger.exception("unexpected failure")
    return _fail(
        call,
        "internal",
        f"unexpected failure: {type(error).__name__}: {error}",
        "This is a fault of memconsole; -v before the command shows where it happened.",
        exits.FAILED,
    )


def _usage(error: TyperException) -> tuple[str, str]:
    """Return what was wrong with the call, and where to look."""
    context = getattr(error, "ctx", None)
    path = "memconsole" if context is None else context.command_path
    message = error.format_message().strip().rstrip(".")
    return message[:1].lower() + message[1:], f"Try `{path} --help`."


@contextmanager
def _stopped_like_interrupted() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a call as Ctrl-C does: the write in progress is rolled back."""
    before = {one: signal.getsignal(one) for one in _STOPPERS}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
