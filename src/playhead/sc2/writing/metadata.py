"""Writes the game's own summary."""

from __future__ import annotations

import json

from playhead.sc2.members.metadata import GameMetadata


def write_metadata(metadata: GameMetadata) -> bytes:
    """Return ``replay.gamemetadata.json``: `GameMetadata.raw` after a byte order mark, as the game writes it."""
    return b"\xef\xbb\xbf" + json.dumps(metadata.raw, ensure_ascii=False, indent=4).encode()
