"""Inspect and maintain a lake, the tables of many replays."""
