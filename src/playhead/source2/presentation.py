"""How plots and the viewer show games that have no package of their own: as far as the engine knows them."""

from __future__ import annotations

from playhead.presentation import EventFeed, Jump, MapLook, Presentation, Wording
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.games import GAMES

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.model import Info
    from playhead.presentation.feed import EventUnit, Fits
    from playhead.presentation.picture import MapPicture
    from playhead.source2.motion import Source2Motion

#: Prefixes of names of classes.
CLASS_PREFIXES = r"CNPC_|C(?=[A-Z])"
#: Fields of payloads that say nothing to people.
HIDDEN_FIELDS = frozenset({"entity", "user", "class", "event"})


def title(info: Info) -> str:
    """Return game and version."""
    known = GAMES.get(info.game)
    return " ".join(filter(None, (info.game if known is None else known.title, info.version)))


def title_with_build(info: Info) -> str:
    """Return game and build, for games whose versions nobody knows."""
    game = GAMES[info.game].title
    return game if info.build is None else f"{game}, build {info.build}"


def motion(replay: Any) -> Source2Motion:
    """Return the moving entities of a replay."""
    from playhead.source2.motion import Source2Motion

    return Source2Motion(replay)


def ground(replay: Any) -> MapPicture | None:
    """Return the ground where entities were."""
    return motion(replay).ground(cell=64.0, step=96.0)


def game_events(*names: str) -> Fits:
    """Return a test for game events of these names."""

    def fits(event: Event, unit: EventUnit | None) -> bool:
        return event.kind == "game_event_fired" and event.payload.get("name") in names

    return fits


PRESENTATION = Presentation(
    title=title,
    feed=EventFeed(
        notable=("chat_sent", "game_event_fired"),
        jumps=(
            Jump("kill", "x", game_events("player_death")),
            Jump("round", "v", game_events("round_start", "round_freeze_end")),
        ),
        hidden_fields=HIDDEN_FIELDS,
    ),
    map=MapLook(motion=motion, ground=ground),
    wording=Wording(class_prefixes=CLASS_PREFIXES),
)
