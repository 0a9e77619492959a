"""Synthetic recordings for a trial: ``stored`` holds them compressed, made by ``tests/samples/games.py``."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

from playhead.io.atomic import write_whole

#: The files of each game; the first is the sample of its format, if the game has one.
FILES: Mapping[str, tuple[str, ...]] = {
    "dota2": ("sample_dota2.dem",),
    "cs2": ("sample_cs2.dem", "sample_cs2.json"),
    "deadlock": ("sample_deadlock.dem", "sample_deadlock.json"),
    "sc2": ("sample_sc2.SC2Replay", "sample_sc2_7min.SC2Replay"),
    "hots": ("sample_hots.StormReplay",),
    "ddnet": ("sample_ddnet.teehistorian",),
}

_STORED = Path(__file__).parent / "stored"


def stored_bytes(name: str) -> bytes:
    """Return the bytes of a file of `FILES`."""
    return lzma.decompress((_STORED / f"{name}.xz").read_bytes())


def write_stored(name: str, folder: Path) -> Path:
    """Write a file of `FILES` into `folder`, which is created if it does not exist; return its path."""
    path = folder / name
    write_whole(path, stored_bytes(name))
    return path


def write_sample_broadcast(folder: Path) -> Path:
    """Write the Dota 2 match as the folder of a broadcast, ``sample_dota2_broadcast``; return its path."""
    from playhead.io.source import open_source
    from playhead.limits import Limits
    from playhead.source2.playback.playback import Playback
    from playhead.source2.playback.recording import Recording
    from playhead.source2.writing.broadcast import write_broadcast

    path = folder / "sample_dota2_broadcast"
    recording = Recording(open_source(stored_bytes("sample_dota2.dem"), Limits()))
    write_broadcast(recording, Playback(recording, tables=None), path)
    return path
