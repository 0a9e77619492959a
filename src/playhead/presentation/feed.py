"""How the viewer lists the events of a game, and the moments to which its buttons and keys jump."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.model import ReplayLike


class EventUnit(NamedTuple):
    """The unit of an event that names its unit by number only: type and owner."""

    type: str
    player: int | None


class Kill(NamedTuple):
    """An event as a line of the kill feed: numbers of players, None if unknown or not a player.

    Attributes:
        killer: the player that killed.
        victim: the player that was killed, or whose unit was.
        weapon: weapon or ability as the game names it.
        note: a special circumstance, such as a headshot.
        killing_unit: what killed, if it is not a player, as the game names it.
        killed_unit: the killed unit, if it is not a player's own unit.
        teams: teams of killer and victim at that time, for games in which players change sides.
    """

    killer: int | None
    victim: int | None
    weapon: str | None = None
    note: str | None = None
    killing_unit: str | None = None
    killed_unit: str | None = None
    teams: tuple[int | None, int | None] = (None, None)


class Told(NamedTuple):
    """An event whose kind and fields say too little: its word, what it is about, its player and its team."""

    word: str
    text: str
    player: int | None = None
    team: int | None = None


class Cluster(NamedTuple):
    """A group of at least `least` events; each follows the previous one within `seconds`."""

    least: int
    seconds: float


#: Words for kinds that several games have.
_WORDS = {"player_killed": "kill", "chat_sent": "chat", "ping_sent": "ping", "player_left": "leaves"}

#: Test for events; its second argument is the unit of the event, if the feed knows it.
Fits = Callable[["Event", "EventUnit | None"], bool]


def of_kinds(*kinds: str) -> Fits:
    """Return a test for events of these kinds."""
    return lambda event, unit: event.kind in kinds


class Jump(NamedTuple):
    """Moments of one sort, such as kills.

    Attributes:
        name: label of the button.
        key: letter that jumps to the next one; with Shift to the previous one.
        fits: test for the events to jump to; they are looked for in `EventFeed.notable`.
        cluster: if given, jump to the first event of each such group only.
        own: while a player is chosen, jump to the events of that player only.
    """

    name: str
    key: str
    fits: Fits
    cluster: Cluster | None = None
    own: bool = False


class Opening(NamedTuple):
    """A moment on which the viewer may open.

    Attributes:
        label: name of the moment: ``the largest fight``.
        fits: test for its events; they are looked for in `EventFeed.notable`.
        pick: ``first`` or ``last`` event, or the ``most`` events within `within` seconds; the viewer opens when it
            shows most of these.
        within: seconds.
        before: the viewer opens so many seconds before the event.
        span: returns the first and the last tick of the moment, from a table, and the kills of each player in it
            if the table has them: others happen elsewhere. None if the recording has none. It replaces `within`.
    """

    label: str
    fits: Fits
    pick: str = "most"
    within: float = 20.0
    before: float = 0.0
    span: Callable[[ReplayLike], tuple[int, int, Mapping[int, int] | None] | None] | None = None


@dataclass(frozen=True, slots=True)
class EventFeed:
    """How the viewer lists events.

    Attributes:
        notable: kinds that the viewer shows first, in the order of their filters. If the recording has none of
            them, the viewer shows the first kinds of the recording.
        words: kinds in the words of players; other kinds are shown by their names.
        told: by kind, a function that returns a function from an event to what is `Told` of it, instead of its
            kind and its fields.
        jumps: the jumps, in the order of their buttons.
        units: by kind, a function that returns a function from an event to its `EventUnit`.
        durations: by kind, the field of the payload that holds a duration in ticks.
        hidden_fields: fields of payloads that the text of an event leaves out.
        side: returns the team of an event's player at that time, for games in which players change sides.
        plain: kinds whose text says nothing more.
        kill: returns an event as a line of the kill feed; None if it is not a kill.
        noise: test for bookkeeping of the game among `notable`; the viewer hides these events and says how many.
        opens_on: moments on which the viewer opens: the first that the recording has.
        lines: by kind, a function from the payload to the parts of its line, instead of all fields. Empty parts
            are left out.
        place: returns a function from an event of a fight to its place in words; None if unknown.
    """

    notable: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, Callable[[ReplayLike], Callable[[Event], Told]]] = field(default_factory=dict)
    jumps: tuple[Jump, ...] = ()
    units: Mapping[str, Callable[[ReplayLike], Callable[[Event], EventUnit | None]]] = field(default_factory=dict)
    durations: Mapping[str, str] = field(default_factory=dict)
    hidden_fields: frozenset[str] = frozenset()
    side: Callable[[Event], int | None] | None = None
    plain: tuple[str, ...] = ()
    kill: Callable[[Event, EventUnit | None], Kill | None] = lambda event, unit: None
    noise: Fits = lambda event, unit: False
    opens_on: tuple[Opening, ...] = ()
    lines: Mapping[str, Callable[[Mapping[str, Any]], tuple[Any, ...]]] = field(default_factory=dict)
    place: Callable[[ReplayLike], Callable[[Event], str | None]] = lambda replay: lambda event: None

    def unit_fields(self, replay: ReplayLike) -> Callable[[Event], dict[str, Any]]:
        """Return a function from an event to the fields `unit_type` and `unit_player`, empty if the event has them
        or they are unknown. The first event that needs them reads the units of the replay."""
        found: dict[str, Callable[[Event], EventUnit | None]] = {}

        def fields(event: Event) -> dict[str, Any]:
            kind = event.kind
            if kind not in self.units:
                return {}
            unit = (found.get(kind) or found.setdefault(kind, self.units[kind](replay)))(event)
            return {} if unit is None else {"unit_type": unit.type, "unit_player": unit.player}

        return fields

    def word(self, kind: str) -> str:
        """Return a kind in the words of players."""
        return self.words.get(kind) or _WORDS.get(kind) or kind.replace("_", " ")

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page needs, JSON-ready."""
        jumps = [{"name": jump.name, "key": jump.key} for jump in self.jumps]
        return {"words": {**_WORDS, **self.words}, "jumps": jumps, "sides_change": self.side is not None}
