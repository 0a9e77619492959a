"""`Notes`: lines about moments of one kind, such as wards, which the viewer lists and shows on the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from playhead.model import ReplayLike
from playhead.runtime.records import NamedTuple


class Note(NamedTuple):
    """A line of the panel: its moment (None if it was before the recording), its kind, which the panel filters by,
    its words, and whose and where it is."""

    tick: int | None
    kind: str
    text: str
    player: int | None = None
    team: int | None = None
    x: float | None = None
    y: float | None = None


class Notes(NamedTuple):
    """A panel of lines over a table.

    Attributes:
        label: name of the panel.
        table: recordings without this table have no panel.
        lines: returns the lines, in order.
    """

    label: str
    table: str
    lines: Callable[[ReplayLike], Iterable[Note]]
