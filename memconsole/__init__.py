"""memconsole: terminal console and headless scheduler for the memory of OpenClaw agents."""

__version__ = "0.1.0"
