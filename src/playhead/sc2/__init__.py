"""StarCraft II replays (``.SC2Replay``), from the first beta to today.

The engine `playhead.blizzard` reads the archive, the encodings and the events. Rooms in the order of imports:
`protocol` (type tables), `members`, `abilities`, `events`, `state`, `tables`, `repair`, `recording` (one file),
`writing`, `replay`.
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
        UnknownFormat: an MPQ archive, but no StarCraft II replay.
        TruncatedReplay: cut inside the replay header.
    """
    from playhead.sc2.replay import Sc2Replay

    return Sc2Replay(source, options)


def write_sample(folder: Path) -> Path:
    """Write a small synthetic replay into `folder`; return its path."""
    from playhead.samples import write_stored

    return write_stored("sample_sc2.SC2Replay", folder)


def vocabulary() -> Vocabulary:
    """Return the words that this format knows."""
    from playhead.sc2.coaching.reasons import REASONS
    from playhead.sc2.presentation import SERIES
    from playhead.sc2.recording.game import STARCRAFT2
    from playhead.sc2.tables.info_and_players import INFO
    from playhead.sc2.tables.registry import TABLES

    return STARCRAFT2.vocabulary([*TABLES.tables(), REASONS.name], INFO, SERIES)
