"""Tables for a coach: why a player lost, how each player did, and the players of another game beside them."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.model import ReplayLike
from playhead.replay import Replay
from playhead.runtime.libraries import pa
from playhead.sc2.coaching import comparison, lapses, measures, reasons
from playhead.sc2.coaching.comparison import STANDING, players_of, standing_of, standing_rows
from playhead.sc2.members.setting import ARCADE
from playhead.tables.schema import TableSchema


def coach(
    replay: Replay | ReplayLike, other: Replay | ReplayLike | None
) -> Mapping[str, tuple[TableSchema, pa.Table]]:
    """Return the tables of a coach's page by name, with their schemas. With another game, the first ones compare
    the players with its players of the same race.

    Raises:
        NotImplementedError: one of the two is an arcade game, whose units and times are its own.
    """
    for each in (replay, other):
        if other is not None and each is not None and each.info.details.get("mode") == ARCADE:
            raise NotImplementedError(f"cannot be compared: {each.name} is an arcade game, with rules of its own")
    pairs = [
        (each, None if other is None else comparison.rival(each, replay, other)) for each in players_of(replay)
    ]
    minutes = standing_of(replay)
    beside = {} if other is None else standing_of(other)
    theirs = {} if other is None else measures.measures_of(other, beside)
    found = {measures.MEASURES: measures.table(pairs, measures.measures_of(replay, minutes), theirs)}
    if other is not None:
        found[comparison.STEPS] = comparison.steps(pairs, replay, other)
        found[comparison.CURVES] = comparison.curves(pairs, replay, minutes, beside)
    found[reasons.REASONS] = reasons.table(replay, minutes)
    found[STANDING] = STANDING.build_rows(standing_rows(replay, minutes))
    found[lapses.LAPSES] = lapses.table(replay)
    return {schema.name: (schema, made) for schema, made in found.items()}
