"""How plots and the viewer draw the map of a game: its look, marks, levels, and effects shown for a while."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.tables.value_arrays import scalar_of

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.model import ReplayLike
    from playhead.presentation.motion import Motion
    from playhead.presentation.picture import MapPicture

#: Layers of the viewer's map that a button switches on and off.
LAYERS = ("names", "trails", "health", "units", "cameras", "orders", "cones", "effects")
#: Symbols of the viewer's legend.
LEGEND_SYMBOLS = (
    "number",
    "small",
    "block",
    "outline",
    "resource",
    "ground",
    "wall",
    "frame",
    "cross",
    "bomb",
    "cone",
    "cloud",
)


class Mark(NamedTuple):
    """A fixed thing on the map; `team` is its side, None if it has none, `label` what the viewer writes at it."""

    kind: str
    x: float
    y: float
    team: int | None = None
    label: str = ""


class MarkStyle(NamedTuple):
    """How marks of one kind are drawn.

    Attributes:
        shape: in the viewer: ``outline``, ``block`` or ``disc``.
        size: in the viewer: half the width, in multiples of `MapLook.mark_radius`.
        colour: in the viewer: a CSS colour or a colour of the page's theme (``tree``); None for the side's colour.
        symbol: in plots: marker of matplotlib.
        area: in plots: area of the marker in square points.
        filled: in plots: the marker is filled.
    """

    shape: str = "outline"
    size: float = 1.3
    colour: str | None = None
    symbol: str = "o"
    area: float = 16.0
    filled: bool = False


class Levels(NamedTuple):
    """Two levels of a map, drawn apart: the lower one below the upper.

    Attributes:
        height: places with a lower z are on the lower level.
        distance: the lower level is drawn so far below, in units of coordinates.
    """

    height: float
    distance: float

    def drop(self, z: float | None) -> float:
        """Return how far below its place something at a height is drawn."""
        return self.distance if z is not None and z < self.height else 0.0


#: Read a map file: its path, the replay, and left, right, low and high if the user gave them.
MapReader = Callable[["Path", Any, "tuple[float, float, float, float] | None"], "MapPicture"]


_MARGIN = 0.03


def bounds_of(
    places: Iterable[tuple[float, float]], margin: float = _MARGIN
) -> tuple[float, float, float, float] | None:
    """Return left, right, low and high of places, with a margin on each side as a share of the longer one; None
    without places. Those that are infinite or no numbers do not count."""
    places = [place for place in places if all(map(math.isfinite, place))]
    if not places:
        return None
    xs, ys = zip(*places, strict=True)
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    margin *= max(right - left, high - low, 1.0)
    return left - margin, right + margin, low - margin, high + margin


#: The suffix of a folder of maps in `MapLook.files`.
FOLDER = "/"


@dataclass(frozen=True, slots=True)
class MapLook:
    """The map of a game.

    Attributes:
        motion: returns the `Motion` of a replay; None if nothing moves. The viewer shows no map then.
        y_is_down: coordinates grow downwards on the screen.
        length: unit of the axes of plots, and its length in units of coordinates.
        samples: label of a row of table ``positions`` in plots.
        marks: returns the fixed things on the map.
        mark_styles: their styles by kind, in the order of legends.
        mark_radius: size of marks in the viewer, in units of coordinates.
        unit_radius: radius of units in the viewer, in units of coordinates.
        fade_seconds: units pale within this time after they were seen last; None if they do not.
        camera: width and height of the part of the map that a screen shows, in units of coordinates.
        inactive_units: units that are not alive (under construction) are outlined; otherwise the map omits them.
        layers: those of `LAYERS` that the game has.
        legend: symbols, of `LEGEND_SYMBOLS`, and their meanings.
        tile: side of the tiles that are drawn where table ``positions`` has places; None for no tiles.
        extent: returns places that the map must cover, in addition to marks and tiles.
        levels: returns the levels of the map that are drawn apart; None for one level.
        files: readers of map files by suffix, in lower case; `FOLDER` reads a folder of maps.
        ground: draws the ground from the recording alone; None if it has too little.
        tables: the tables that `marks`, `extent` and `ground` read: the viewer asks for them in one pass.
        effects: returns short marks on the map, such as hits and smokes, in any order.
        cone: the angle that a player sees, in degrees, and how far it is drawn, in units of coordinates; (0, 0)
            for no cones of sight.
        installed: returns the picture of the map among the files that the game keeps on this machine; None if
            they are missing.
    """

    motion: Callable[[Any], Motion] | None = None
    y_is_down: bool = False
    length: tuple[str, float] = ("map units", 1.0)
    samples: str = "positions"
    marks: Callable[[ReplayLike], Iterable[Mark]] = lambda replay: ()
    mark_styles: Mapping[str, MarkStyle] = field(default_factory=dict)
    mark_radius: float = 1.0
    unit_radius: float = 42.0
    fade_seconds: float | None = None
    camera: tuple[float, float] = (0.0, 0.0)
    inactive_units: bool = False
    layers: Sequence[str] = LAYERS[:4]
    legend: tuple[tuple[str, str], ...] = ()
    tile: float | None = None
    extent: Callable[[ReplayLike], Iterable[tuple[float, float]]] = lambda replay: ()
    levels: Callable[[ReplayLike], Levels | None] = lambda replay: None
    files: Mapping[str, MapReader] = field(default_factory=dict)
    ground: Callable[[Any], MapPicture | None] = lambda replay: None
    tables: Sequence[str] = ()
    effects: Callable[[ReplayLike], Iterable[Effect]] = lambda replay: ()
    cone: tuple[float, float] = (0.0, 0.0)
    installed: Callable[[Any], MapPicture | None] = lambda replay: None

    def drawn(self, replay: ReplayLike, places: pa.Table) -> pa.Table:
        """Return a table with columns y and z with each y where the map draws it."""
        levels = self.levels(replay)
        if levels is None or "z" not in places.column_names:
            return places
        y, z = places.column("y"), places.column("z")
        lower = pc.fill_null(pc.less(z, scalar_of(levels.height, z.type)), fill_value=False)
        moved = pc.if_else(lower, pc.subtract(y, scalar_of(levels.distance, y.type)), y)
        return places.set_column(places.column_names.index("y"), "y", moved)

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page needs, JSON-ready."""
        return {
            "y_is_down": self.y_is_down,
            "length": list(self.length),
            "mark_styles": {
                kind: {"shape": style.shape, "size": style.size, "colour": style.colour}
                for kind, style in self.mark_styles.items()
            },
            "mark_radius": self.mark_radius,
            "unit_radius": self.unit_radius,
            "fade_seconds": self.fade_seconds,
            "camera": list(self.camera),
            "cone": list(self.cone),
            "inactive_units": self.inactive_units,
            "layers": list(self.layers),
            "legend": [list(entry) for entry in self.legend],
            "tile": self.tile,
        }


#: Kinds: a shot and a hit (lines that fade), a kill, a circle of smoke or fire with its rest of seconds, a ring
#: that counts down, two bursts, and a circle that a side sees.
SHOT, HIT, KILL, SMOKE, FIRE, TIMER, FLASH, BLAST, SIGHT = (
    "shot hit kill smoke fire timer flash blast sight".split()
)

#: Seconds for which a kill stays on the map.
KILL_SECONDS = 2.0


class Effect(NamedTuple):
    """Something on the map from `tick` to `end`.

    Attributes:
        kind: one of the kinds of this module.
        tick: its first tick.
        end: its last tick.
        x: place of it: of the victim, of the middle of a circle, of a shot's weapon.
        y: the same.
        to_x: the other end of its line, in units of coordinates; None for none.
        to_y: the same.
        radius: radius of a circle, in units of coordinates.
        player: who did it; None if unknown.
        team: the side of that player at that tick.
        due: the tick at which a timer would be over; it ends earlier if somebody stops it.
    """

    kind: str
    tick: int
    end: int
    x: float
    y: float
    to_x: float | None = None
    to_y: float | None = None
    radius: float = 0.0
    player: int | None = None
    team: int | None = None
    due: int | None = None


def kill_effects(replay: ReplayLike) -> Iterator[Effect]:
    """Yield the kills of table ``kills`` at the places of the victims, with lines from the killers."""
    names = "tick victim_x victim_y attacker_player attacker_team attacker_x attacker_y".split()
    lasts = round(KILL_SECONDS * (replay.info.ticks_per_second or 1.0))
    for row in replay.table("kills", columns=names).to_pylist():
        tick, x, y = row["tick"], row["victim_x"], row["victim_y"]
        if x is not None and y is not None:
            line = row["attacker_x"], row["attacker_y"]
            yield Effect(KILL, tick, tick + lasts, x, y, *line, 0.0, row["attacker_player"], row["attacker_team"])
