"""Heroes of the Storm replays (``.StormReplay``), from the alpha to today.

The engine `playhead.blizzard` reads the archive, the encodings and the events. Rooms in the order of imports:
`protocol` (type tables), `members`, `tables`, `recording` (one file), `state`, `writing`, `motion`,
`presentation`, `replay`.
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
    """Return the replay in `source`, its header read.

    Raises:
        UnknownFormat: an MPQ archive, but no replay of Heroes of the Storm.
        TruncatedReplay: cut inside the replay header.
    """
    from playhead.hots.replay import HotsReplay

    return HotsReplay(source, options)


def write_sample(folder: Path) -> Path:
    """Write a small synthetic replay into `folder`; return its path."""
    from playhead.samples import write_stored

    return write_stored("sample_hots.StormReplay", folder)


def vocabulary() -> Vocabulary:
    """Return the words that this format knows."""
    from playhead.hots.presentation import SERIES
    from playhead.hots.recording.recording import HEROES
    from playhead.hots.tables.info_and_players import INFO
    from playhead.hots.tables.registry import TABLES
    from playhead.hots.tables.streams import PLAYER_KILLED
    from playhead.registry import Vocabulary

    own = Vocabulary(event_kinds=frozenset({PLAYER_KILLED.kind}))
    return HEROES.vocabulary(TABLES.tables(), INFO, SERIES) | own
