"""The sample as a broadcast: the synthetic match in fragments."""

from __future__ import annotations

from pathlib import Path

from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.samples.source2 import dota2
from playhead.samples.source2.match_demo import match_demo
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.writing.broadcast import SECONDS, write_broadcast


def write_sample_broadcast(folder: Path, minutes: float | None = None, *, seconds: float = SECONDS) -> Path:
    """Write the folder ``sample_dota2_broadcast`` into `folder`; return its path.

    Args:
        folder: parent folder.
        minutes: length of the match; None is the match of the sample, with all its messages.
        seconds: length of a fragment.
    """
    data = dota2.sample_demo()[0] if minutes is None else match_demo(minutes)[0]
    path = folder / ("sample_dota2_broadcast" if minutes is None else f"sample_dota2_{minutes:g}min_broadcast")
    recording = Recording(open_source(data, Limits()))
    write_broadcast(recording, Playback(recording, tables=None), path, seconds=seconds)
    return path
