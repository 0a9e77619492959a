"""How the viewer and plots show a demo: tees where the snapshots have them."""

from __future__ import annotations

from typing import Any

from playhead import presentation
from playhead.presentation.motion import HERO, Motion, Rows
from playhead.runtime.cached import cached_property
from playhead.teehistorian.presentation import TITLE

#: Units of a tile.
_TILE = 32


class DemoMotion(Motion):
    """Tees by table ``positions``."""

    step_seconds = 0.02
    stretch_seconds = 10.0
    report_step_seconds = 0.1

    @cached_property
    def _moves(self) -> list[tuple[Any, ...]]:
        table = self.replay.table("positions")
        return list(zip(*(table.column(name).to_pylist() for name in ("tick", "player", "x", "y")), strict=True))

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return the moving tees; see `Motion.rows`."""
        rows = Rows()
        last: dict[int, tuple[float, float]] = {}
        names = {each.player: each.name for each in self.replay.players}

        def thing(player: int) -> int:
            key = str(player)
            about = {"kind": "tee", "name": names.get(player), "player": player, "role": HERO}
            return rows.places[key] if key in rows.places else rows.new(key, about)

        for tick, player, x, y in self._moves:
            if tick > end:
                break
            if tick <= start:
                last[player] = (x, y)
            else:
                self._begin(rows, start, last, thing)
                rows.add(tick, thing(player), x, y)
        self._begin(rows, start, last, thing)
        return rows

    @staticmethod
    def _begin(rows: Rows, start: int, last: dict[int, tuple[float, float]], thing: Any) -> None:
        """Add where everybody was at the start of the stretch."""
        for player, place in last.items():
            rows.add(start, thing(player), *place)
        last.clear()


def _motion(replay: Any) -> Motion:
    return DemoMotion(replay)


PRESENTATION = presentation.Presentation(
    title=lambda info: f"{TITLE} demo {info.map}",
    time_label="time since the server's first tick (min:s)",
    report_tables=("info", "players", "chat"),
    feed=presentation.EventFeed(notable=("chat_sent",), words={"chat_sent": "chat"}),
    map=presentation.MapLook(
        motion=_motion, y_is_down=True, length=("tiles", _TILE), layers=("names", "trails"), tile=_TILE
    ),
)
