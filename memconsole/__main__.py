"""Entry of the program; `--version`, plain searches and the console are spared Typer."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"]:
        from memconsole import __version__  # noqa: PLC0415

        sys.stdout.write(f"memconsole {__version__}\n")
        return 0
    if {"--serve", "serve"} & set(sys.argv) and "search" not in sys.argv:
        from memconsole.cli.allocator import begin_with_plain_memory  # noqa: PLC0415

        begin_with_plain_memory()
    # What is loaded stays; looking through it for rubbish takes a tenth of a short call.
    gc.disable()
    is_console = len(sys.argv) == 1 or (len(sys.argv) == 3 and sys.argv[1] == "--home")
    if is_console or "search" in sys.argv:
        from memconsole.cli.quick import quick  # noqa: PLC0415

        code = quick(sys.argv[1:])
        if code is not None:
            return code
    from memconsole.cli.main import main as run  # noqa: PLC0415  # loads Typer

    return run()


if __name__ == "__main__":
    sys.exit(main())
