"""The search index: one disposable SQLite file for each agent and source."""
