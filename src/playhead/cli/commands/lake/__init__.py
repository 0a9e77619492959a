"""Inspect and maintain a lake: the tables of many replays, as `playhead export` writes them."""
