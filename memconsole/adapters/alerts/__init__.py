"""Ways to tell people: a log, Slack, a webhook, a command, and whatever Apprise knows."""
