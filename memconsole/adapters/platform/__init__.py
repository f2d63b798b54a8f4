"""The platform: where its home is, what its configuration says, which agents there are."""
