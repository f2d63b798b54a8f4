"""The face without a screen: turns the passing of time into commands."""
