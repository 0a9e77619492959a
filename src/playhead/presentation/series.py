"""Columns of a game's tables that are drawn over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.runtime.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Series:
    """Columns that a plot draws over time.

    Attributes:
        table: a table with ``player`` and the column `Presentation.time`.
        columns: the columns to draw by default; several are added up.
        label: label of the axis, with the unit.
        options: options of the table.
        side: column with the side of a player at that time, and the team of each of its values, for games in which
            players change sides; None if players keep the team of table ``players``.
    """

    table: str
    columns: tuple[str, ...]
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    side: tuple[str, Mapping[str, int]] | None = None


@dataclass(frozen=True, slots=True)
class SeriesSource:
    """A table from which `Corpus.series` takes fields.

    Attributes:
        table: a table with ``seconds`` and ``player``, ordered by time. The values of a row hold for its player
            until the player's next row.
        fields: for each field of the series, the columns that are added up. Nulls are skipped; the field is null
            if all columns are.
        sampled: the table has the option ``every``.
        gone: a column and a value. From a row with this value on, nothing is known of the player.
        game: the game whose replays have the table with these columns, as `Info.game`; None for every game of the
            format.
        by_default: whether a series without named fields has these; False for a table that takes long.
    """

    table: str
    fields: Mapping[str, tuple[str, ...]]
    sampled: bool = False
    gone: tuple[str, str] | None = None
    game: str | None = None
    by_default: bool = True

    def columns(self, fields: Iterable[str]) -> list[str]:
        """Return the columns of the table that `fields` need."""
        wanted = ["seconds", "player", *(column for name in fields for column in self.fields[name])]
        return list(dict.fromkeys([*wanted, self.gone[0]] if self.gone else wanted))
