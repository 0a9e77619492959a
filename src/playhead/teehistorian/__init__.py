"""DDNet teehistorian: a server's recording of every client, from bytes to tables.

* `stream`: the JSON header, the messages with their ticks, extensions, columns of positions and inputs.
* `network`: game network messages inside the stream.
* `state`: connections, positions of tees, seeking by an index; the driver of a pass.
* `tables`: Arrow tables. `replay`: the replay class.
* `folder`: many recordings. `patterns`: statistics of a player's inputs. `runs`: single runs. `writing`: new
  recordings and slices.

Each package imports only those above it; `folder`, `patterns`, `runs` and `writing` do not import each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay


def open_replay(source: Source, options: Options) -> Replay:
    """Return the recording, or a demo or ghost of the client; see `playhead.open`."""
    from playhead.teehistorian.stream.header import CLIENT_MAGICS

    if bytes(source.data[:8]).startswith(CLIENT_MAGICS):
        from playhead.io.source import read_all
        from playhead.teehistorian.client_demos import DemoReplay

        if source.stream is not None:
            if source.stream.follow is not None:
                raise ValueError(f"{source.name}: a demo cannot be followed while it is being written")
            source = read_all(source, options.limits)
        return DemoReplay(source, options)
    from playhead.teehistorian.replay import TeehistorianReplay

    return TeehistorianReplay(source, options)


def write_sample(folder: Path) -> Path:
    """Write ``sample_ddnet.teehistorian``, a small synthetic recording, into `folder`; return its path."""
    from playhead.samples import write_stored

    return write_stored("sample_ddnet.teehistorian", folder)


def vocabulary() -> Vocabulary:
    """Return the names that this format accepts."""
    from playhead.registry import Vocabulary
    from playhead.teehistorian.client_demos import TABLES as OF_DEMOS
    from playhead.teehistorian.presentation import SERIES, TITLE
    from playhead.teehistorian.tables import TABLES
    from playhead.teehistorian.tables.events import DIED, event_kinds

    return Vocabulary(
        frozenset(TABLES.tables()) | {schema.name for schema in OF_DEMOS},
        frozenset((*event_kinds(), DIED)),
        series=SERIES,
        games={"ddnet": TITLE},
    )
