"""Table ``positions``: the places of living heroes at an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import GAME_SECONDS
from playhead.deadlock.facts.players import DeadlockPlayerSeries
from playhead.deadlock.sources.match import DeadlockMatch
from playhead.runtime.libraries import pa, pc
from playhead.tables.schema import Column
from playhead.tables.shared import POSITIONS
from playhead.tables.value_arrays import scalar_of

DEADLOCK_POSITIONS = POSITIONS.extended(
    Column("z", "float32", "Height, in the same unit.", "map units"),
    Column("hero", "category", "Hero of the player at that tick; null if the number has no name."),
    Column("team", "int32", "2 is the Hidden King, 3 the Archmother."),
    GAME_SECONDS,
)


@TABLES.maker_of(DEADLOCK_POSITIONS)
class DeadlockPositions(DeadlockPlayerSeries):
    """Table ``positions``: the places of living heroes, as in ``player_series``."""

    work = 12
    options: ClassVar[Sequence[str]] = ("every",)

    def __init__(self, match: DeadlockMatch, every: int | float | str = "1s") -> None:
        super().__init__(match, every)

    def tables(self) -> Mapping[str, pa.Table]:
        (series,) = super().tables().values()
        alive = series.filter(
            pc.and_(
                pc.fill_null(series.column("alive"), scalar_of(True, pa.bool_())), pc.is_valid(series.column("x"))
            )
        )
        columns = {name: alive.column(name) for name in DEADLOCK_POSITIONS.column_names}
        return {DEADLOCK_POSITIONS.name: DEADLOCK_POSITIONS.build(columns)}
