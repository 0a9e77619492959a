"""How plots and the viewer show Deadlock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead import presentation
from playhead.model import Player, ReplayLike
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import EventUnit
    from playhead.presentation.picture import MapPicture
    from playhead.source2.motion import Source2Motion


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


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the objectives where they are first seen."""
    for row in _first_seen(replay):
        if row["x"] is not None and row["y"] is not None:
            yield presentation.Mark(row["kind"], row["x"], row["y"], row["team"])


#: Word and colour of the nodes of zip lines by lane.
_LANES = {1: ("yellow lane", "#d8b024"), 3: ("green lane", "#4c9a52"), 4: ("blue lane", "#3f7fc4")}
_LANES |= {6: ("purple lane", "#9a5fc0")}


def places(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the lanes, as nodes of their zip lines, and the objectives."""
    seen: set[int] = set()
    for row in replay.table("ziplines").to_pylist():
        lane = _LANES.get(row["lane"])
        if row["entity"] not in seen and lane is not None and row["x"] is not None:
            seen.add(row["entity"])
            yield presentation.Mark(lane[0], row["x"], row["y"])
    yield from marks(replay)


def corners(replay: ReplayLike) -> Iterator[tuple[float, float]]:
    """Yield the corners of the game's minimap."""
    for row in replay.table("match").to_pylist():
        for end in ("min", "max"):
            x, y = row[f"minimap_{end}_x"], row[f"minimap_{end}_y"]
            if x is not None and y is not None:
                yield x, y


def ground(replay: Any) -> MapPicture | None:
    """Return the ground where heroes, troopers and other entities were, inside of the minimap's bounds."""
    return motion(replay).ground(cell=96.0, step=160.0)


def installed(replay: Any) -> MapPicture | None:
    """Return the minimap of the installed game, which covers the bounds that the recording has; None for other
    maps than its present one."""
    from playhead.source2.game_files.overview import minimap_picture

    def bounds() -> tuple[float, float, float, float] | None:
        ends = list(corners(replay))[:2]
        return (ends[0][0], ends[1][0], ends[0][1], ends[1][1]) if len(ends) == 2 else None

    name = (replay.info.map or "").rpartition("/")[2]
    is_known = name == "dl_midtown"
    return minimap_picture("Deadlock/game/citadel", name, "minimap_midtown_mid_psd", bounds) if is_known else None


def deaths(replay: ReplayLike) -> Iterable[presentation.Death]:
    """Return the deaths of heroes."""
    return [
        presentation.Death(
            *(row["game_seconds"], row["x"], row["y"], row["victim_player"], row["victim_team"]),
            row["attacker_player"],
        )
        for row in replay.table("kills").to_pylist()
        if row["game_seconds"] is not None
    ]


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield the falls of objectives and of the mid boss and captured Rifts, on the side of the attackers."""
    for row in replay.table("objectives").to_pylist():
        if row["fell"] and row["kind"] != "sentry" and row["game_seconds"] is not None:
            yield presentation.Highlight(
                row["game_seconds"], f"destroyed a {row['kind']}", {2: 3, 3: 2}.get(row["team"])
            )
    clock = getattr(replay, "clock", None)
    for table, tick, team, words in (
        ("mid_boss", "died_tick", "killer_team", "killed the mid boss"),
        ("rift", "capture_tick", "winning_team", "took the Rift"),
    ):
        for row in replay.table(table).to_pylist():
            seconds = None if row[tick] is None or clock is None else clock.displayed_seconds(row[tick])
            if seconds is not None:
                yield presentation.Highlight(seconds, words, row[team])


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return the kill of a hero, by another one or by a unit."""
    if event.kind != "kill":
        return None
    get = event.payload.get
    other = get("attacker_class") if event.player is None else None
    return presentation.Kill(event.player, get("victim_player"), get("ability"), killing_unit=other)


def _lane(row: Mapping[str, Any]) -> str | None:
    lane = _LANES.get(row.get("lane") or 0)
    return lane and lane[0]


#: Half of the height of the strip in the middle of the map.
_MIDDLE = 2500


def half(event: Event) -> str | None:
    """Return the part of the map in which an event was: the Hidden King is at the bottom."""
    y = event.payload.get("y")
    if y is None:
        return None
    return "in the middle" if abs(y) < _MIDDLE else f"on the side of the {PRESENTATION.sides[2 if y < 0 else 3]}"


#: Fields of an event that its line omits, since others name the same things in words.
_OMITTED = frozenset(
    (
        "source max_health player_name victim_player victim_hero_id attacker_hero_id killer_hero_id hero_id "
        "attacker_hero hero respawn_seconds ability_id objective_id seen_dead streak item_id change_id "
        "upgraded_from_ids attacker_entity attacker_class victim_entity"
    ).split()
)

_SAME = "level kills deaths assists last_hits denies health max_health alive x y"

SERIES = (
    presentation.SeriesSource(
        "player_series",
        {
            "game_seconds": ("game_seconds",),
            "gold": ("souls",),
            "net_worth": ("gold_net_worth",),
            **{name: (name,) for name in _SAME.split()},
        },
        sampled=True,
        game="deadlock",
    ),
)


def motion(replay: Any) -> Source2Motion:
    """Return the moving entities of a replay."""
    from playhead.deadlock.motion import DeadlockMotion

    return DeadlockMotion(replay)


PRESENTATION = presentation.Presentation(
    title=lambda info: "Deadlock" if info.build is None else f"Deadlock, build {info.build}",
    character=hero,
    sides={2: "Hidden King", 3: "Archmother"},
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is the drop of the barriers)",
    economy=presentation.Series("player_series", ("gold_net_worth",), "net worth (souls)", {"every": "10s"}),
    advantage=presentation.Series("player_series", ("gold_net_worth",), "net worth (souls)", {"every": "10s"}),
    series=SERIES,
    curves={"last hits": ("last_hits",), "souls in hand": ("gold",), "denies": ("denies",)},
    deaths=deaths,
    deaths_label="deaths of heroes",
    highlights=highlights,
    builds=presentation.Builds("item_purchases", "item", "items"),
    plots={
        "positions": "heroes",
        "economy": "net worth in souls",
        "advantage": "net worth, between two sides",
        "kills": "from messages and game events",
    },
    report_tables=("info", "players", "chat", "kills", "objectives"),
    feed=presentation.EventFeed(
        notable=(
            *("kill", "objective_fell", "boss_damaged", "mid_boss_killed", "urn", "rift", "flex_slot"),
            *("chat", "pause"),
        ),
        jumps=(
            presentation.Jump("kill", "x", presentation.of_kinds("kill")),
            presentation.Jump(
                "objective",
                "o",
                presentation.of_kinds("objective_fell", "boss_damaged", "mid_boss_killed", "rift"),
            ),
        ),
        hidden_fields=HIDDEN_FIELDS | _OMITTED,
        kill=kill,
        opens_on=(presentation.Opening("the largest fight", presentation.of_kinds("kill")),),
        plain=("mid_boss_killed", "pause"),
        words={"objective_fell": "destroyed", "boss_damaged": "under attack", "flex_slot": "flex slot"}
        | {"mid_boss_killed": "kills the mid boss"},
        noise=lambda event, unit: event.kind == "urn" and event.player is None,
        lines={
            "objective_fell": lambda row: (row.get("objective"), _lane(row)),
            "boss_damaged": lambda row: (row.get("objective"),),
            "urn": lambda row: (str(row.get("event")).replace("_", " "),),
            "rift": lambda row: (_lane(row),),
            "flex_slot": lambda row: (row.get("flex_slot"),),
        },
        place=lambda replay: half,
    ),
    map=presentation.MapLook(
        motion=motion,
        length=("world units", 1.0),
        samples="seconds of a hero",
        marks=places,
        extent=corners,
        ground=ground,
        installed=installed,
        tables=("objectives", "ziplines", "match", "positions"),
        mark_styles={
            "patron": presentation.MarkStyle(size=2.2, symbol="*", area=130.0),
            "shrine": presentation.MarkStyle(symbol="D", area=26.0),
            "walker": presentation.MarkStyle(symbol="s", area=40.0),
            "guardian": presentation.MarkStyle(symbol="s", area=20.0),
            "barracks": presentation.MarkStyle(symbol="D", area=20.0),
            "sentry": presentation.MarkStyle(symbol=".", area=16.0),
            **{
                word: presentation.MarkStyle(shape="disc", size=0.5, colour=colour)
                for word, colour in _LANES.values()
            },
        },
        mark_radius=120.0,
        legend=(("number", "hero"), ("cross", "dead"), ("small", "unit"), ("block", "objective")),
    ),
    wording=presentation.Wording(
        prefixes=r"citadel_(?:ability_|weapon_)?|upgrade_",
        hidden_facts=(
            *("hero", "roll", "base_max_health", "time_revealed_by_npc", "health_regen", "ap_net_worth"),
            *(f"souls_{part}" for part in "creeps air_orbs ground_orbs denies kills neutrals solo_bonus".split()),
            *("ability_points", "start_lane", "lane", "upgrades"),
        ),
        class_prefixes=r"CCitadel_?(?:Ability_|Item_)?|CNPC_|" + CLASS_PREFIXES,
    ),
)
