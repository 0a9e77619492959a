"""DDNet teehistorian: what a server recorded of every client, from bytes to tables.

* `stream`: the JSON head, the messages with their ticks, extensions, columns of positions and inputs.
* `network`: game network messages inside the stream.
* `state`: who is connected, where every tee is, any tick by an index; the one driver of a pass.
* `tables`: Arrow tables. `replay`: what `playhead.open` gives.
* `folder`: many recordings. `patterns`: figures of a player's inputs. `runs`: runs one by one. `writing`:
  recordings and slices.

Each imports only those above it; `folder`, `patterns`, `runs` and `writing` do not import each other; `replay` is
last.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay


def open_replay(source: Source, options: Options) -> Replay:
    """Return the recording; see `playhead.open`."""
    from playhead.teehistorian.replay import TeehistorianReplay

    return TeehistorianReplay(source, options)


def write_sample(folder: Path) -> Path:
    """Write ``sample_ddnet.teehistorian``, a small synthetic recording, into `folder`; returns its path."""
    from playhead.samples.teehistorian import write_sample

    return write_sample(folder)


def vocabulary() -> Vocabulary:
    """Return the words that this format knows."""
    from playhead.registry import Vocabulary
    from playhead.teehistorian.presentation import SERIES
    from playhead.teehistorian.state.events import event_kinds
    from playhead.teehistorian.tables import TABLES

    return Vocabulary(frozenset(TABLES.tables()), frozenset(event_kinds()), series=SERIES)
