"""The table ``unit_counts``: how many units of each type a player has, over time."""

from __future__ import annotations

import re

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import WHEN, when
from playhead.blizzard.units.spans import counts_of
from playhead.blizzard.units.tracked import unit_history, unit_spans
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.state.production.facts import DRONE, OF_DRONES
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS, steps
from playhead.sc2.state.production.records import INIT, UPGRADE
from playhead.sc2.state.production.step_columns import StepColumns
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_EVERY = "5s"
#: Types that are bookkeeping of the game or of a map.
NOT_COUNTED = re.compile(r"^Beacon|^ReleaseInterceptorsBeacon|Dummy|Placeholder|^Shape")

UNIT_COUNTS = TableSchema.of(
    "unit_counts",
    "Units of each player and type every 5 seconds of the game's clock, or at the interval of the option "
    '`every` (``"10s"``, ``"1 min"``, ``"160 ticks"``). Without any there is no row; hallucinations and beacons '
    "do not count. A living larva is an idle one.",
    *WHEN,
    word("unit_type"),
    Column(
        "units_alive",
        "int32",
        "Finished units that live then. An egg or cocoon is a unit of its own type; a drone that became a "
        "building does not count.",
    ),
    Column(
        "units_in_progress",
        "int32",
        "Units under construction, in training or in an egg or cocoon, and the results of morphs in progress; "
        "starts are those of `build_order`.",
    ),
    word(
        "units_lost",
        "Until then, with a known killer. A construction that ended by its owner (a cancelled building, a warp-in "
        "without its pylon) is not lost.",
    ),
    group="series",
)


@event_table(UNIT_COUNTS, *PRODUCTION_EVENTS, options=("every",))
def unit_counts(tracker: EventStream, source: TableSource, every: int | float | str = _EVERY) -> pa.Table:
    """Return the table ``unit_counts``."""
    interval = interval_ticks(every, source.loops_per_second)
    loops = tracker.rows.heads[0]
    texts = unit_history(tracker).texts
    names = list(texts)
    more = _in_production(steps(tracker, source), names)
    shown = [NOT_COUNTED.search(text) is None for text in texts]
    drone = names.index(DRONE) if DRONE in names else -1
    inside = [drone if text in OF_DRONES else -1 for text in texts]
    found = counts_of(unit_spans(tracker), shown, inside, more, interval, loops[-1] if loops else 0)
    return UNIT_COUNTS.build(
        {
            **when(found["tick"], source),
            "player": int32_column(found["player"], NOTHING),
            "unit_type": arrow.category(int32_column(found["unit_type"], NOTHING), names),
            **{f"units_{name}": int32_column(found[name], NOTHING) for name in ("alive", "in_progress", "lost")},
        }
    )


def _in_production(made: StepColumns, names: list[str]) -> list[tuple[int, int, int, int]]:
    """Return player, type, start and end of each unit whose production is not a unit of its own. Types are indices
    of `names`, which gets the missing ones."""
    places = {name: place for place, name in enumerate(names)}
    kinds = []
    for name in made.names.names:
        if name not in places:
            places[name] = len(names)
            names.append(name)
        kinds.append(places[name])
    inside = [source != INIT for source in made.sources.names]
    units = [kind != UPGRADE for kind in made.kinds.names]
    rows = zip(
        made.players, made.names.codes, made.starts, made.ends, made.sources.codes, made.kinds.codes, strict=True
    )
    return [
        (player, kinds[name], start, end)
        for player, name, start, end, by, kind in rows
        if inside[by] and units[kind]
    ]
