"""Dota 2 facts on the Source 2 engine: what happened in the match, as tables and typed events.

playback (entities, messages, string tables) ──► fact collectors ──► tables
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.replay import Replay

__all__ = ["open_replay", "write_sample"]


def open_replay(source: Source, options: Options) -> Replay:
    """The demo in `source`: a `Dota2Replay` if it is of Dota 2, otherwise the engine's `Source2Replay`.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 one of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.io.source import read_all
    from playhead.source2.replay import Source2Replay

    if source.stream is not None and source.stream.follow is None:
        source = read_all(source, options.limits)  # frames are read more than once
    replay = Source2Replay(source, options)
    if replay.game != "dota":
        return replay
    from playhead.dota2.replay import Dota2Replay

    if source.stream is not None and not source.stream.reopenable:
        return replay  # what was read of it cannot be read again
    return Dota2Replay(source, options)


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem``, a small synthetic Dota 2 recording; returns its path."""
    from playhead.samples.source2 import dota2 as sample

    return sample.write_sample(folder)
