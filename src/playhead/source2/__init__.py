"""Source 2 demos (``.dem``): Dota 2 first, CS2 and Deadlock at the engine level.

frames ──► stream ──► packet (inner messages) ──► tables
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
    """The demo in `source`; reads its head only.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 one of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.source2.replay import Source2Replay

    return Source2Replay(source, options)


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem``, a small synthetic Dota 2 recording; returns its path."""
    from playhead.samples.source2 import engine as sample

    return sample.write_sample(folder)
