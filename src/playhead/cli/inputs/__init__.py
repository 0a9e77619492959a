"""Replays, maps and words that a command line names."""
