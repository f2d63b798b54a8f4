"""Runs one call and turns whatever happens into a sentence and an exit code."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import typer
from typer.exceptions import TyperException

from memconsole.cli.app import app
from memconsole.cli.call import exits
from memconsole.cli.call.call import Call
from memconsole.cli.call.complete import join_bash_words
from memconsole.cli.output import safe
from memconsole.cli.signals import stopped_like_interrupted
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import EngineBuilder

logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None, *, build: EngineBuilder | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Words behind the program's name; None takes those of the process.
        build: Makes the engine; None takes the one of this host.

    Returns:
        The exit code (`docs/contract.md`, "Exit codes").
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    call = Call(build)
    call.is_json_asked = is_json_asked(words)
    call.flags.words = tuple(words)
    join_bash_words(os.environ)
    with stopped_like_interrupted(), call.resources:
        return _guarded(call, words)


def is_json_asked(words: Sequence[str]) -> bool:
    """Tell whether `--json` stands anywhere, so that even a wrong call is answered in JSON."""
    before = words[: words.index("--")] if "--" in words else words
    return "--json" in before


def _guarded(call: Call, words: list[str]) -> int:
    try:
        result = app(args=words, prog_name="memconsole", standalone_mode=False, obj=call)
    except (Exception, KeyboardInterrupt) as error:  # the edge of the process
        return tell(call, error)
    if result == exits.INTERRUPTED:
        return tell(call, KeyboardInterrupt())
    return result if isinstance(result, int) else exits.DONE


def tell(call: Call, error: BaseException) -> int:
    """Say why a call failed and return its exit code; a bug is told, never thrown at people."""
    match error:
        case MemconsoleError():
            return _fail(call, error.code, str(error), error.hint, exits.exit_of(error))
        case TyperException():
            return _fail(call, "usage", *_usage(error), exits.USAGE)
        case KeyboardInterrupt() | typer.Abort():
            return _fail(call, "interrupted", "interrupted", "", exits.INTERRUPTED)
        case OSError():
            place = f" ({error.filename})" if error.filename else ""
            return _fail(call, "failed", f"{error.strerror or error}{place}", "", exits.FAILED)
        case _:
            return _bug(call, error)


def _fail(call: Call, code: str, message: str, hint: str, exit_code: int) -> int:
    """Say one sentence of fact and one of help; with `--json` also as the answer."""
    from memconsole.cli.json import encode, outcome  # noqa: PLC0415  # for failures only

    lines = [f"memconsole: {safe.line(message)}"]
    if hint:
        lines.append(f"  {safe.line(hint)}")
    call.output.error(*lines)
    if _is_for_a_machine(call):
        with suppress(OSError):
            call.output.json(encode.dump(outcome.error(code, message, hint)))
    return exit_code


def _is_for_a_machine(call: Call) -> bool:
    try:
        return call.is_json
    except MemconsoleError:  # the configuration that may say so is what is wrong
        return call.is_json_asked


def _bug(call: Call, error: BaseException) -> int:
    if logger.isEnabledFor(logging.INFO):
        logger.error("unexpected failure", exc_info=error)
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
