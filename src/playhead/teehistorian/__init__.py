"""DDNet teehistorian: what a server recorded of every client, from bytes to tables.

* `header`: the JSON head. `reader`, `messages`: the stream, message by message with ticks.
* `extensions`: the EX messages. `network`: game network messages inside the stream.
* `positions`, `inputs`, `connections`: state that follows from the messages.
* `columns`, `tables`, `replay`: from there to Arrow tables and `playhead.open`.
* `writer`: writes every message; `sample` uses it for a small synthetic recording.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.replay import Replay


def open_replay(source: Source, options: Options) -> Replay:
    """The recording; see `playhead.open`."""
    from playhead.teehistorian.replay import TeehistorianReplay

    return TeehistorianReplay(source, options)


def write_sample(folder: Path) -> Path:
    """Write ``sample_ddnet.teehistorian``, a small synthetic recording, into `folder`; returns its path."""
    from playhead.samples.teehistorian import write_sample

    return write_sample(folder)
