"""UUIDs that stand for a name: how DDNet numbers its extensions of the file and of the network protocol."""

from __future__ import annotations

from uuid import UUID, uuid3

#: Namespace of every UUID that Teeworlds derives from a name.
NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")


def named_uuid(name: str) -> UUID:
    """The UUID that stands for `name` (version 3: MD5)."""
    return uuid3(NAMESPACE, name)
