"""Names that a field or a class had in other builds: what Valve renamed between patches."""

from __future__ import annotations

from functools import cache

# Each line: names of one thing, in the order in which they came.
_FIELDS = (
    ("m_iPlayerID", "m_nPlayerID"),  # 2022
    ("m_nameStringableIndex", "m_nameStringTableIndex"),  # build 6792
)
_CLASSES = (("CDOTAPlayer", "CDOTAPlayerController"),)  # July 2022


@cache
def aliases_of(name: str) -> tuple[str, ...]:
    """Other dotted names of the field; the last level is what was renamed."""
    head, dot, last = name.rpartition(".")
    for names in _FIELDS:
        if last in names:
            return tuple(head + dot + other for other in names if other != last)
    return ()


@cache
def class_aliases(name: str) -> tuple[str, ...]:
    """All names of that class, itself first."""
    for names in _CLASSES:
        if name in names:
            return (name, *(other for other in names if other != name))
    return (name,)
