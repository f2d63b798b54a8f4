"""What each pane says, as pure functions from a reading to rows."""
