"""Replays written: a replay again without its people."""
