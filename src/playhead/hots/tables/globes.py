"""The tables ``globes`` and ``regeneration``: globes of experience and regeneration, and who took the latter."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.tracker import StatGameEvent
from playhead.blizzard.tables.columns import moment
from playhead.blizzard.tables.units import unit_columns
from playhead.blizzard.units.lives import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.members.players import SIDES
from playhead.hots.tables.registry import TableSource, event_table, table
from playhead.hots.tables.statistics import BLUE, RED, people_of, statistics
from playhead.runtime.libraries import pa
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

#: Kinds by the type of the unit.
_KINDS = {
    "ExperienceGlobeMinion": "experience",
    "RegenGlobe": "regeneration",
    "RegenGlobeNeutral": "neutral",
}
_SIDE_OF_OWNER = {BLUE: SIDES[0], RED: SIDES[1]}

GLOBES = TableSchema.of(
    "globes",
    "One row for each globe that a minion left behind. It ends when it was taken or vanished.",
    *words("tick seconds end_tick end_seconds unit"),
    word("kind", "experience, regeneration, or neutral: of regeneration, and in the end for both sides."),
    word("side", "Owner at first; null if it was neutral from the start."),
    word("by_side", "Null if nobody took it."),
    *words("x y"),
)
REGENERATION = TableSchema.of(
    "regeneration",
    "One row for each globe of regeneration that a player took. Several players may take one.",
    *words("tick seconds player hero team side"),
)


@event_table(GLOBES, *HISTORY_EVENTS)
def globes(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``globes``."""
    history = unit_history(tracker)
    lives = lives_of(history)
    places = array("q", [row for row, type_ in enumerate(lives["unit_type"]) if history.text(type_) in _KINDS])
    wanted = "tick end_tick unit x y unit_type first_player attacker_player".split()
    own = {name: gathered(lives[name], places) for name in wanted}
    columns = unit_columns(own, tracker, source)
    kinds = [_KINDS[history.text(type_)] for type_ in own["unit_type"]]
    sides = {"side": "first_player", "by_side": "attacker_player"}
    found = {
        name: arrow.lookup(int32_column(own[column], NOTHING), _SIDE_OF_OWNER, pa.string())
        for name, column in sides.items()
    }
    shown = {name: columns[name] for name in GLOBES.column_names if name in columns}
    return GLOBES.build({**shown, **found, "kind": kinds})


@table(REGENERATION, reads=(StatGameEvent,))
def regeneration(source: TableSource) -> pa.Table:
    """Return the table ``regeneration``."""
    people, rate = people_of(source), source.loops_per_second
    taken = ((each.tick, each.number("PlayerID") or 0) for each in statistics(source, "RegenGlobePickedUp"))
    return REGENERATION.build_rows(
        [{**moment(tick, rate), "player": player or None, **people.get(player, {})} for tick, player in taken]
    )
