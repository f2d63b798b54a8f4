"""Entry of the program; `--version`, plain searches and the console are spared Typer."""

# No `from __future__` here: that, too, is an import, and would come before the last lines.
import gc
import os
import sys

from memconsole import __version__


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"memconsole {__version__}\n")
        return 0
    if {"--serve", "serve"} & set(sys.argv) and "search" not in sys.argv:
        from memconsole.cli.allocator import begin_with_plain_memory  # noqa: PLC0415

        begin_with_plain_memory()
    if os.environ.get("PYTHONPATH"):
        from memconsole.system.launch import forget_relative_imports  # noqa: PLC0415

        forget_relative_imports()
    # What is loaded stays; looking through it for rubbish takes a tenth of a short call.
    gc.disable()
    if len(sys.argv) == 1 or sys.argv[1].startswith("--") or "search" in sys.argv:
        from memconsole.cli.fast_path import quick  # noqa: PLC0415

        code = quick(sys.argv[1:])
        if code is not None:
            return code
    from memconsole.cli.main import main as run  # noqa: PLC0415  # loads Typer

    return run()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` puts the current folder first, and who writes there would be imported.
        del sys.path[0]
    sys.exit(main())
