"""Columns of the tables of casts."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.tables.columns import WHEN, moment
from playhead.sc2.state.casts.casters import EconomyCast
from playhead.tables.vocabulary import word

CAST_COLUMNS = (
    *WHEN,
    word(
        "caster_unit",
        "The only unit in the selection that can cast it, or the MULE's creator; null if several could.",
    ),
    word(
        "energy",
        "The caster's before the order: what it began with, plus what returned since, less its known casts; null "
        "if a cast is uncertain. If it is below the cost, the order failed.",
    ),
)


def cast_row(cast: EconomyCast, rate: float) -> dict[str, Any]:
    """Return the values of `CAST_COLUMNS`."""
    return {
        **moment(cast.order.loop, rate),
        "player": cast.order.player,
        "caster_unit": cast.caster,
        "energy": cast.energy,
    }
