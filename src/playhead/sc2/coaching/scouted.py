"""Names of bases on the map, and what each player scouted when."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.model import ReplayLike
from playhead.presentation.notes import Note
from playhead.sc2.abilities.unit_types import display_name

#: By `known_by` of table ``scouting``.
_KINDS = {"camera": "on screen", "position": "reached", "order": "sent units"}


#: By `nth` of table ``bases``.
_NAMES = {1: "main", 2: "natural", 3: "third", 4: "fourth"}


def base_names(replay: ReplayLike) -> dict[tuple[float, float], str]:
    """Return the names of taken bases by their places."""
    rows = replay.table("bases", columns=["nth", "x", "y"]).drop_null().to_pylist()
    return {(row["x"], row["y"]): _NAMES.get(row["nth"], f"base {row['nth']}") for row in rows}


def scouted(replay: ReplayLike) -> Iterator[Note]:
    """Yield when each player first saw, reached or sent units to each base of an opponent."""
    names = {player.player: player.name for player in replay.players}
    for row in replay.table("scouting").to_pylist():
        hour = f" at {row['clock']} o'clock" if row["clock"] else ""
        unit = f" ({display_name(row['unit_type'])})" if row["unit_type"] else ""
        text = f"base of {names.get(row['target_player'])}{hour}{unit}"
        yield Note(row["tick"], _KINDS[row["known_by"]], text, row["player"], None, row["x"], row["y"])
