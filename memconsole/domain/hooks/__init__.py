"""What is put into the platform so that an agent is given its memory: hooks, and tools."""
