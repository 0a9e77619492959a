"""A whole replay of Heroes of the Storm: `open`, its tables and events."""

from __future__ import annotations

from archives import mutate as mutate
from archives import query

TABLES = ("players", "kills", "structures", "player_stats", "xp", "talents", "camps", "members")


def fuzz(data: bytes) -> None:
    query(data, TABLES)
