"""The tables ``selections`` and ``control_groups``."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import REMOVALS, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.columns import WHO, when_and_who
from playhead.runtime.libraries import pa
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, SelectionTimeline, removals
from playhead.sc2.state.units.link_types import LINK_EVENTS, learnt_types
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_REMOVALS = dict(enumerate(REMOVALS))

SELECTIONS = TableSchema.of(
    "selections",
    "One row for each change of a selection or of a control group's content.",
    *WHO,
    word("group"),
    Column("subgroup", "int64", "Subgroup that is active afterwards."),
    *words("remove remove_indices"),
    Column("added_type_ids", "list<int64>", "Index in the catalog of the unit type of each added subgroup."),
    Column(
        "added_types",
        "list<string>",
        "Names of these types: those that the tracker has for units with this index, else of the build's list.",
    ),
    Column("added_counts", "list<int64>", "How many units of each."),
    Column("added_units", "list<int64>", "Tags of the added units."),
    word("units", "In `group` afterwards, in ascending order."),
)

CONTROL_GROUPS = TableSchema.of(
    "control_groups",
    "One row for each use of a control group.",
    *WHO,
    word("group"),
    word("action", "set, append, recall, clear, steal, steal_append; else the number."),
    word("remove", "Which of the group's units are gone by now."),
    word("remove_indices"),
    word("units", "In the group afterwards; after a recall, in the active selection. Ascending."),
)


def _removal_columns(game: EventStream, type_: type[Event]) -> dict[str, pa.Array]:
    kinds, ends, places = removals(game, type_)
    return {
        "remove": named_column(kinds, NOTHING, _REMOVALS),
        "remove_indices": pa.ListArray.from_arrays(
            arrow.int32_array(array("i", [0]) + ends), int64_column(places, NOTHING)
        ),
    }


def _units_after(game: EventStream, *, uses: bool) -> pa.Array:
    return game.once("selections", SelectionTimeline).units_after(uses=uses)


def _types_of(links: pa.Array, learnt: Mapping[int, str], source: TableSource) -> pa.Array:
    """Return the names of lists of links."""
    flat = links.values
    names = {link: learnt.get(link) or source.event_scope.unit(link) for link in set(to_list(flat))}
    return pa.ListArray.from_arrays(links.offsets, arrow.lookup(flat, names, pa.string()))


@event_table(SELECTIONS, *SELECTION_EVENTS, *LINK_EVENTS)
def selections(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``selections``."""
    changes = game.of(SelectionDeltaEvent)
    names = ("group", "subgroup", "added_type_ids", "added_counts", "added_units")
    added = changes.friendly(*names, scope=source.event_scope)
    return SELECTIONS.build(
        {
            **when_and_who(changes, source),
            **added,
            "added_types": _types_of(added["added_type_ids"], learnt_types(game, source.stream(TRACKER)), source),
            **_removal_columns(game, SelectionDeltaEvent),
            "units": _units_after(game, uses=False),
        }
    )


@event_table(CONTROL_GROUPS, *SELECTION_EVENTS)
def control_groups(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``control_groups``."""
    uses = game.of(ControlGroupUpdateEvent)
    return CONTROL_GROUPS.build(
        {
            **when_and_who(uses, source),
            **uses.friendly("group", "action", scope=source.event_scope),
            **_removal_columns(game, ControlGroupUpdateEvent),
            "units": _units_after(game, uses=True),
        }
    )
