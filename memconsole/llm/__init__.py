"""The optional language model."""
