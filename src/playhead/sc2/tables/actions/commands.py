"""The table ``commands``: orders and their repetitions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import TARGETS
from playhead.blizzard.events.merged_rows import codes_of, either
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.columns import WHO, rows_of
from playhead.runtime.libraries import pa
from playhead.sc2.state.orders.command_rows import AS_STORED, AXES, COMMANDS_READ, command_abilities, command_rows
from playhead.sc2.state.units.link_types import LINK_EVENTS, learnt_types, target_types
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float32_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_TARGETS = dict(enumerate(TARGETS))

COMMANDS = TableSchema.of(
    "commands",
    "One row for each order given, for each update that the game writes instead of repeating the order with "
    "another target, and for each repetition with the same target, of which it writes only the number.",
    *WHO,
    word(
        "kind",
        "command_given; command_repeated_at_point or command_repeated_at_unit: the last command of the user, "
        "repeated with another target; command_repeated: the same once more.",
    ),
    word("flags", "Bits differ by build."),
    Column("updates", "int64", "How often the command was repeated; null for a repetition itself."),
    word(
        "ability",
        "From the user's own catalog or the list of the build; null too on maps with their own data.",
    ),
    word(
        "ability_id",
        "Index in the catalog of the build's data; null for a smart command. Of a repetition, that of the command "
        "that it repeats, as for the next two columns.",
    ),
    word("ability_index"),
    Column("ability_data", "int64", "Extra data of the ability."),
    word("target_kind", "none, point, unit or data; of a repetition that of the last command or update."),
    *(word(axis, "Of the target.") for axis in AXES),
    word("target_unit"),
    word("target_unit_type_id", "Its index in the catalog, as the player saw it."),
    word(
        "target_unit_type",
        "The tracker's for this unit just before, else the one that the tracker has for other units with this "
        "index in the replay, else that of the build's list.",
    ),
    word("target_player", "Owner of the target, as the player saw it."),
    word("target_value", "If `target_kind` is data."),
    word("command_number", "Also of a repetition; from 34784 on."),
    Column("other_unit", "int64", "Tag of another unit concerned."),
)


@event_table(COMMANDS, *COMMANDS_READ, *LINK_EVENTS)
def commands(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``commands``: commands and their repetitions, in the order of the file."""
    merged, kinds, targets, held, times = command_rows(game)
    columns = {name: int64_column(held[name], NOTHING) for name in AS_STORED}
    columns |= {axis: float32_column(held[axis], NOTHING, 1 / FINE) for axis in AXES}
    columns["target_player"] = int32_column(held["target_player"], NOTHING)
    return COMMANDS.build(
        {
            **rows_of(game.rows, merged.orders, source),
            **columns,
            "kind": arrow.category(int32_column(merged.part, NOTHING), kinds),
            "updates": int64_column(times, NOTHING),
            "ability": _named(*command_abilities(game, source)),
            "target_kind": named_column(targets, NOTHING, _TARGETS),
            "target_unit_type": _target_types(game, source),
        }
    )


def _target_types(game: EventStream, source: TableSource) -> pa.Array:
    merged, _, _, held, _ = command_rows(game)
    links, tracker = held["target_unit_type_id"], source.stream(TRACKER)

    def name_of(number: int) -> str | None:
        if number < 0:
            return learnt_types(game, tracker).get(~number) or source.event_scope.unit(~number)
        assert tracker is not None
        return tracker.rows.texts[number]

    types = array("q", [NOTHING]) * len(links)
    if tracker is not None and tracker.kinds:
        types = target_types(tracker, game, merged.orders, held["target_unit"])
    return _named(*codes_of(either(types, links), None, name_of))


def _named(codes: array[int], names: Sequence[str]) -> pa.Array:
    return arrow.category(int32_column(codes, NOTHING), names)
