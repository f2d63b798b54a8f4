"""The command line: Typer commands that turn flags into commands and print outcomes."""
