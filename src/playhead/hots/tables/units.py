"""The table ``units``: the lives of heroes, minions, mercenaries, summons and buildings."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.units import LIFE, unit_columns
from playhead.blizzard.units.lives import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.tables.registry import TableSource, event_table
from playhead.runtime.libraries import pa
from playhead.tables.schema import TableSchema

UNITS = TableSchema.of(
    "units",
    "One row for each life of a unit in the tracker. A hero who lives again has another row with the same `unit`, "
    "in builds that report it. Players 11 and 12 are the minions and buildings of the two sides; 0 is nobody, 15 "
    "neutral.",
    *LIFE,
)


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``units``."""
    lives = lives_of(unit_history(tracker))
    own = {name: values for name, values in lives.items() if not name.startswith("creator")}
    return UNITS.build(unit_columns(own, tracker, source))
