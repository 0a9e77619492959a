"""How plots and the viewer show Deadlock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from playhead.model import Player, ReplayLike
from playhead.presentation import (
    Death,
    EventFeed,
    Highlight,
    Jump,
    MapLook,
    Mark,
    MarkStyle,
    Presentation,
    Series,
    SeriesSource,
    Wording,
    of_kinds,
)
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS

if TYPE_CHECKING:
    from playhead.presentation.motion import Motion


def hero(player: Player) -> str | None:
    """Return the player's hero."""
    return player.character


def _first_seen(replay: ReplayLike) -> Iterator[dict[str, Any]]:
    seen: set[tuple[int, int]] = set()
    for row in replay.table("objectives").to_pylist():
        key = row["entity"], row["entity_serial"]
        if key not in seen:
            seen.add(key)
            yield row


def marks(replay: ReplayLike) -> Iterator[Mark]:
    """Yield the objectives where they are first seen."""
    for row in _first_seen(replay):
        if row["x"] is not None and row["y"] is not None:
            yield Mark(row["kind"], row["x"], row["y"], row["team"])


def deaths(replay: ReplayLike) -> Iterable[Death]:
    """Return the deaths of heroes."""
    return [
        Death(
            *(row["game_seconds"], row["x"], row["y"], row["victim_player"], row["victim_team"]),
            row["attacker_player"],
        )
        for row in replay.table("kills").to_pylist()
        if row["game_seconds"] is not None
    ]


def highlights(replay: ReplayLike) -> Iterator[Highlight]:
    """Yield the falls of objectives, on the side of the attackers."""
    for row in replay.table("objectives").to_pylist():
        if row["fell"] and row["kind"] != "sentry" and row["game_seconds"] is not None:
            yield Highlight(row["game_seconds"], f"destroyed a {row['kind']}", {2: 3, 3: 2}.get(row["team"]))


_SAME = "level kills deaths assists last_hits denies health max_health alive x y"

SERIES = (
    SeriesSource(
        "player_series",
        {
            "game_seconds": ("game_seconds",),
            "gold": ("souls",),
            "net_worth": ("gold_net_worth",),
            **{name: (name,) for name in _SAME.split()},
        },
        sampled=True,
        game="citadel",
    ),
)


def motion(replay: Any) -> Motion:
    """Return the moving entities of a replay."""
    from playhead.deadlock.motion import DeadlockMotion

    return DeadlockMotion(replay)


PRESENTATION = Presentation(
    title=lambda info: "Deadlock" if info.build is None else f"Deadlock, build {info.build}",
    character=hero,
    sides={2: "Hidden King", 3: "Archmother"},
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is the drop of the barriers)",
    economy=Series("player_series", ("gold_net_worth",), "net worth (souls)", {"every": "10s"}),
    advantage=Series("player_series", ("gold_net_worth",), "net worth (souls)", {"every": "10s"}),
    series=SERIES,
    curves={"last hits": ("last_hits",)},
    deaths=deaths,
    deaths_label="deaths of heroes",
    highlights=highlights,
    plots={
        "positions": "heroes",
        "economy": "net worth in souls",
        "advantage": "net worth, between two sides",
        "kills": "from messages and game events",
    },
    report_tables=("info", "players", "chat", "kills", "objectives"),
    feed=EventFeed(
        notable=("kill", "objective_fell", "boss_damaged", "purchase", "chat", "pause"),
        jumps=(
            Jump("kill", "x", of_kinds("kill")),
            Jump("objective", "o", of_kinds("objective_fell", "boss_damaged")),
        ),
        hidden_fields=HIDDEN_FIELDS | {"source", "max_health", "player_name"},
    ),
    map=MapLook(
        motion=motion,
        length=("world units", 1.0),
        samples="seconds of a hero",
        marks=marks,
        mark_styles={
            "patron": MarkStyle(size=2.2, symbol="*", area=130.0),
            "shrine": MarkStyle(symbol="D", area=26.0),
            "walker": MarkStyle(symbol="s", area=40.0),
            "guardian": MarkStyle(symbol="s", area=20.0),
            "barracks": MarkStyle(symbol="D", area=20.0),
            "sentry": MarkStyle(symbol=".", area=16.0),
        },
        mark_radius=120.0,
        legend=(("number", "hero"), ("small", "unit"), ("block", "objective")),
    ),
    wording=Wording(
        prefixes=r"citadel_(?:ability_|weapon_)?|upgrade_",
        class_prefixes=r"CCitadel_?(?:Ability_|Item_)?|CNPC_|" + CLASS_PREFIXES,
    ),
)
