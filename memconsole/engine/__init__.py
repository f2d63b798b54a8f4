"""The engine: what every face calls; one module a command."""
