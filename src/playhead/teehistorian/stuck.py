"""Where tees stayed longest, as lines of the viewer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from playhead.model import ReplayLike
from playhead.presentation.notes import Note
from playhead.runtime.libraries import pa, pc

#: A tee stays while it is so near to the place where it began to; for so many seconds at least.
NEAR, LEAST = 5 * 32.0, 10.0
#: Most lines of a player.
MOST = 5


def stuck(replay: ReplayLike) -> Iterator[Note]:
    """Yield the longest stays of each player, the longest first. A tee that was gone stays nowhere."""
    rate = replay.info.ticks_per_second or 50.0
    table = replay.table("positions", columns=["tick", "player", "x", "y", "event"])
    # A look a second is enough, and a tee without a row stays where it was.
    second = pc.floor(pc.divide(table["tick"].cast(pa.float64()), rate))
    gone = pc.equal(table["event"].cast("string"), "gone")
    seen = table.append_column("second", second).append_column("gone", gone).group_by(["player", "second"])
    names = [("tick", "min"), ("x", "min"), ("y", "min"), ("gone", "max"), ("tick", "max")]
    rows = seen.aggregate(names).sort_by([("player", "ascending"), ("second", "ascending")]).to_pylist()
    found: list[tuple[float, Note]] = []
    for player, own in groupby(rows, key=lambda row: row["player"]):
        stays: list[tuple[float, Note]] = []
        first = None
        for row in own:
            if first is None:
                first = row
            away = max(abs(row["x_min"] - first["x_min"]), abs(row["y_min"] - first["y_min"])) > NEAR
            if away or row["gone_max"]:
                lasted = (row["tick_min"] - first["tick_min"]) / rate
                if lasted >= LEAST:
                    place = first["x_min"], first["y_min"]
                    note = Note(first["tick_min"], "stuck", f"{lasted:.0f} s within 5 tiles", player, None, *place)
                    stays.append((lasted, note))
                first = None if row["gone_max"] else row
        found += sorted(stays, key=lambda stay: -stay[0])[:MOST]
    yield from (note for _, note in sorted(found, key=lambda stay: -stay[0]))
