"""Replays written: members, events, whole archives; a replay again with parts changed or without its people."""
