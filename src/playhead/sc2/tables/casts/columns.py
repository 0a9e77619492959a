"""Columns of the tables of casts."""

from __future__ import annotations

from typing import Any

from playhead.sc2.state.casts.casters import EconomyCast
from playhead.sc2.tables.columns import PLAYER, WHEN
from playhead.tables.schema import Column

CASTER = Column(
    "caster",
    "int64",
    "Unit tag of the caster: the only unit in the selection that can cast it, or the MULE's creator; null if "
    "several could.",
)
ENERGY = Column(
    "energy",
    "float64",
    "The caster's energy before the order: what it began with, plus what returned since, less its known casts; "
    "null if a cast is uncertain. If it is below the cost, the order failed.",
)
CAST_COLUMNS = (*WHEN, PLAYER, CASTER, ENERGY)


def cast_row(cast: EconomyCast, rate: float) -> dict[str, Any]:
    """Return the values of `CAST_COLUMNS`."""
    return {
        "tick": cast.order.loop,
        "seconds": cast.order.loop / rate,
        "player": cast.order.player,
        "caster": cast.caster,
        "energy": cast.energy,
    }


def moment(name: str, loop: int | None, rate: float) -> dict[str, float | None]:
    """Return a loop as the columns `name` with ``_tick`` and ``_seconds``."""
    return {f"{name}_tick": loop, f"{name}_seconds": None if loop is None else loop / rate}
