"""Takes the pictures of the README from the demo: `python -m tests.demo.pictures`."""
