"""`Builds`: what players made or bought, side by side, as lines for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any

#: Equal steps of one player in a row are one line if each began at most so many seconds after the one before.
APART = 5.0


class Builds(NamedTuple):
    """What players made or bought, which the viewer shows side by side.

    Attributes:
        table: table with ``tick``, ``player`` and the column `name`.
        name: column with the names.
        label: name of the panel.
        supply: column with the supply in use before each step; None if the game has no supply.
        notes: by column, the words that follow the name for some of its values.
        grouped: equal steps in a row are one line with their number.
        title: returns the displayed title of a name of the column `name`.
    """

    table: str
    name: str
    label: str
    supply: str | None = None
    notes: Mapping[str, Mapping[Any, str]] = {}
    grouped: bool = False
    title: Callable[[str], str] = str

    @property
    def columns(self) -> list[str]:
        """The columns that `lines` reads."""
        return ["tick", "player", self.name, *filter(None, [self.supply]), *self.notes]

    def lines(self, rows: Iterable[Mapping[str, Any]], rate: float) -> Iterator[BuildLine]:
        """Yield the lines of rows, which are in order of time; `rate` is in ticks a second. A line has the place,
        the time and the supply of its first step."""
        found: list[list[Any]] = []
        last: dict[int, tuple[list[Any], int]] = {}
        for row in rows:
            tick, player, name = row["tick"], row["player"], row[self.name]
            if player is None or name is None:
                continue
            notes = [words[row[column]] for column, words in self.notes.items() if row[column] in words]
            line, at = last.get(player, (None, tick))
            near = self.grouped and tick - at <= APART * rate
            if line is None or not near or (line[2], line[5]) != (self.title(name), notes):
                line = [
                    tick,
                    player,
                    self.title(name),
                    None if self.supply is None else row[self.supply],
                    0,
                    notes,
                ]
                found.append(line)
            line[4] += 1
            last[player] = line, tick
        yield from (BuildLine(*line) for line in found)


class BuildLine(NamedTuple):
    """One line: the first of some equal steps.

    Attributes:
        supply: in use before it; None if it is not known.
        times: the number of the steps.
        notes: remarks on all of them.
    """

    tick: int
    player: int
    name: str
    supply: float | None
    times: int
    notes: Sequence[str]

    @property
    def more(self) -> str:
        """What follows the name: ``×4 (chrono boost)``."""
        times = f" ×{self.times}" if self.times > 1 else ""
        return times + (f" ({', '.join(self.notes)})" if self.notes else "")
