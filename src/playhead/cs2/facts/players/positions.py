"""Table ``positions``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from playhead.cs2.facts import ROUND, TABLES
from playhead.cs2.facts.players.player_series import PlayerSeries
from playhead.cs2.facts.players.samples import SeriesPart
from playhead.cs2.sources.match import Cs2Match
from playhead.cs2.sources.pawn import LIFE_STATE, PAWN, PLACE_FIELDS
from playhead.runtime.libraries import pa, pc
from playhead.tables.shared import POSITIONS
from playhead.tables.vocabulary import words

CS2_POSITIONS = POSITIONS.extended(*words("z game_seconds"), *ROUND)


@TABLES.maker_of(CS2_POSITIONS)
class PlayerPositions(PlayerSeries):
    """Table ``positions``: the places of living players, as in `player_series`."""

    options: ClassVar = ("every",)
    selects: ClassVar = False
    fields = MappingProxyType({PAWN: (*PLACE_FIELDS, LIFE_STATE)})

    def __init__(self, match: Cs2Match, every: int | float | str = "1s") -> None:
        super().__init__(match, every, columns=(*CS2_POSITIONS.column_names, "alive"))

    def _tables(self, parts: Sequence[SeriesPart], match: Cs2Match) -> Mapping[str, pa.Table]:
        (series,) = super()._tables(parts, match).values()
        alive = series.filter(pc.and_(series.column("alive"), pc.is_valid(series.column("x"))))
        columns = {name: alive.column(name) for name in CS2_POSITIONS.column_names}
        return {CS2_POSITIONS.name: CS2_POSITIONS.build(columns)}
