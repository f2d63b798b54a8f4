"""Entry of the program; `--version`, `status`, plain searches and the console are spared Typer."""

# No `from __future__` here: that, too, is an import, and would come before the last lines.
import atexit
import gc
import os
import sys

from memconsole import __version__


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        try:
            sys.stdout.write(f"memconsole {__version__}\n")
            sys.stdout.flush()
        except OSError:  # told of the usual way
            pass
        else:
            return 0
    if {"--serve", "serve"} & set(sys.argv) and "search" not in sys.argv:
        from memconsole.cli.allocator import begin_with_plain_memory  # noqa: PLC0415

        begin_with_plain_memory()
    if os.environ.get("PYTHONPATH"):
        from memconsole.system.launch import forget_relative_imports  # noqa: PLC0415

        forget_relative_imports()
    # What is loaded stays; looking through it for rubbish takes a tenth of a short call.
    gc.disable()
    if len(sys.argv) == 1 or sys.argv[1].startswith("--") or {"search", "status"} & set(sys.argv):
        from memconsole.cli.fast_path import quick  # noqa: PLC0415

        code = quick(sys.argv[1:])
        if code is not None:
            return code
    from memconsole.cli.main import main as run  # noqa: PLC0415  # loads Typer

    return run()


def program() -> None:
    """Run the command line and end the process with its exit code.

    Freeing every object one by one takes a tenth of a short call, and the system frees all of them
    at once. Whoever still has a thread at work ends the usual way (ADR 0056).
    """
    code = main()
    threads = sys.modules.get("threading")
    if threads is None or threads.active_count() == 1:
        atexit._run_exitfuncs()  # as the standard library ends its own children
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except OSError:
            sys.exit(code)  # tells of a full disk
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` puts the current folder first, and who writes there would be imported.
        del sys.path[0]
    program()
