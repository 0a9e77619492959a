"""`PRESENTATION`: DDNet's facts for pictures and summaries."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.model import Death, Player, Presentation, ReplayLike, SeriesSource

#: Units of length in a tile.
TILE = 32.0


def no_character(player: Player) -> None:
    """Return no character: a skin does not affect the game, so legends omit it."""


def deaths(replay: ReplayLike) -> Iterator[Death]:
    """Yield the disappearances of tees: deaths and moves to the spectators, which the file does not distinguish.
    Players who left (table ``sessions``) are not counted."""
    columns = ["session", "drop_tick"]
    dropped = {row["session"]: row["drop_tick"] for row in replay.table("sessions", columns=columns).to_pylist()}
    columns = ["tick", "seconds", "player", "x", "y", "event"]
    table = replay.table("positions", columns=columns)
    for row in table.filter(_is_gone(table)).to_pylist():
        ended = dropped.get(row["player"])
        if ended is None or row["tick"] < ended - 1:
            yield Death(row["seconds"], row["x"], row["y"], row["player"], None)


def _is_gone(table: object) -> object:
    import pyarrow.compute as pc

    return pc.equal(table["event"].cast("string"), "gone")  # type: ignore[index]


_KEYS = "direction target_x target_y jump fire hook player_flags wanted_weapon"

SERIES = (
    SeriesSource("positions", {"x": ("x",), "y": ("y",)}, gone=("event", "gone")),
    SeriesSource("inputs", {name: (name,) for name in _KEYS.split()}),
)

PRESENTATION = Presentation(
    time_label="time since the recording began (min:s)",
    character=no_character,
    title=lambda info: " ".join(filter(None, ("DDNet", info.version))),
    y_is_down=True,
    length=("tiles", TILE),
    samples="ticks in which a tee moved",
    deaths=deaths,
    deaths_label="tees gone (died or to the spectators)",
)
