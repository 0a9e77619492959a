"""How plots and the viewer show Deadlock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from playhead import presentation
from playhead.model import Player, ReplayLike
from playhead.presentation.map import LAYERS, kill_effects
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS, title_with_build

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import EventUnit
    from playhead.presentation.picture import MapPicture
    from playhead.source2.motion import Source2Motion


def hero(player: Player) -> str | None:
    """Return the player's hero."""
    return player.character


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the structures where they are first seen."""
    for row in replay.table("structures").to_pylist():
        if row["x"] is not None and row["y"] is not None:
            label = "patron" if row["kind"] == "patron" else ""
            yield presentation.Mark(row["kind"], row["x"], row["y"], row["team"], label)


#: Colour of the nodes of zip lines by lane.
_LANES = {"yellow": "#d8b024", "green": "#4c9a52", "blue": "#3f7fc4", "purple": "#9a5fc0"}


def places(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the lanes, as nodes of their zip lines, and the structures."""
    seen: set[int] = set()
    named: set[str] = set()
    for row in replay.table("ziplines").to_pylist():
        if row["entity"] not in seen and row["lane"] is not None and row["x"] is not None:
            seen.add(row["entity"])
            label = "" if row["lane"] in named or abs(row["y"]) > _MIDDLE else row["lane"]
            named |= {label}
            yield presentation.Mark(f"{row['lane']} lane", row["x"], row["y"], None, label)
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

    name = (replay.brief_info.map or "").rpartition("/")[2]
    is_known = name == "dl_midtown"
    return minimap_picture("Deadlock/game/citadel", name, "minimap_midtown_mid_psd", bounds) if is_known else None


def pictures(replay: Any) -> dict[str, bytes]:
    """Return the pictures of the players' heroes in the installed game."""
    from playhead.deadlock.sources.names import picture_name
    from playhead.source2.game_files.faces import installed_pictures

    heroes = {each.character for each in replay.players if each.character}
    wanted = {hero: [f"{picture_name(hero)}_sm_{kind}.vtex_c" for kind in ("psd", "png")] for hero in heroes}
    return installed_pictures("Deadlock/game/citadel", "panorama/images/heroes", wanted)


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield the falls of structures and of the mid boss and captured Rifts, on the side of the attackers."""
    for table, words in (
        ("structures", "destroyed a {kind}"),
        ("bosses", "killed the mid boss"),
        ("rift", "took the Rift"),
    ):
        for row in replay.table(table).to_pylist():
            team = row.get("winner_team", row.get("attacker_team"))
            if table == "structures":
                team = {2: 3, 3: 2}.get(row["team"])
            is_one = row.get("kind") != "sentry" and row.get("outcome") != "expired"
            if is_one and row["end_game_seconds"] is not None:
                yield presentation.Highlight(row["end_game_seconds"], words.format(**row), team)


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the largest fight, and where the souls of the sides came from."""
    best = presentation.largest_fight(replay)
    if best is not None:
        text = presentation.died(
            {"Hidden King": best["hidden_king_deaths"], "Archmother": best["archmother_deaths"]}
        )
        yield presentation.Turn(best["tick"], "the largest fight", text, best["winner_team"])
    yield from _souls(replay)


#: Columns of table ``player_series`` with the souls of a source, and its name.
_SOURCES = {
    "souls_creeps": "troopers",
    "souls_neutrals": "neutrals",
    "souls_kills": "kills",
    "souls_air_orbs": "orbs in the air",
    "souls_ground_orbs": "orbs on the ground",
    "souls_denies": "denied orbs",
    "souls_solo_bonus": "bonus for one alone",
}


def _souls(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield where the souls of each side came from, as counted at the end."""
    columns = ["tick", "player", "team", *_SOURCES]
    last: dict[int, Mapping[str, Any]] = {}
    for row in replay.table("player_series", columns=columns, every="10s").to_pylist():
        if row["team"] is not None:
            last[row["player"]] = row
    for team, side in PRESENTATION.sides.items():
        own = [row for row in last.values() if row["team"] == team]
        sums = {words: sum(row[name] or 0 for row in own) for name, words in _SOURCES.items()}
        most = sorted(((count, words) for words, count in sums.items() if count), reverse=True)
        if most:
            text = ", ".join(f"{words} {count:,}" for count, words in most[:4])
            yield presentation.Turn(own[0]["tick"], f"souls of {side}", text, team)


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return the kill of a hero, by another one or by a unit."""
    if event.kind != "player_killed":
        return None
    get = event.payload.get
    other = get("attacker_entity_class") if event.player is None else None
    return presentation.Kill(event.player, get("victim_player"), get("ability"), killing_unit=other)


def _lane(row: Mapping[str, Any]) -> str | None:
    return row.get("lane") and f"{row['lane']} lane"


#: Half of the height of the strip in the middle of the map.
_MIDDLE = 2500


def half(event: Event) -> str | None:
    """Return the part of the map in which an event was: the Hidden King is at the bottom."""
    y = event.payload.get("y", event.payload.get("victim_y"))
    if y is None:
        return None
    return "in the middle" if abs(y) < _MIDDLE else f"on the side of the {PRESENTATION.sides[2 if y < 0 else 3]}"


#: Fields of an event that its line omits, since others name the same things in words.
_OMITTED = frozenset(
    (
        "known_by max_health player_name victim_player victim_hero_id attacker_hero_id taker_hero_id hero_id "
        "attacker_hero hero respawn_seconds ability_id objective_id seen_dead streak item_id change_id lane_id "
        "attacker_kind_id victim_kind_id hitgroup_id damage_bits damage_type_id weapon_id shot_id entity_serial "
        "unit_type_id flags change upgraded_from_ids attacker_entity attacker_entity_class victim_entity "
        "victim_side attacker_side side "
        "end_seconds end_game_seconds victim_x victim_y victim_z attacker_x attacker_y attacker_z"
    ).split()
)

_SAME = "level kills deaths assists last_hits denies health max_health alive x y"

SERIES = (
    presentation.SeriesSource(
        "player_series",
        {
            "game_seconds": ("game_seconds",),
            "souls": ("souls",),
            "net_worth": ("net_worth",),
            **{name: (name,) for name in _SAME.split()},
        },
        step=1.0,
        sampled=True,
        game="deadlock",
    ),
)


#: What names of items, abilities and weapons begin with.
_PREFIXES = re.compile("citadel_(?:ability_|weapon_)?|upgrade_|ability_")


def spoken(name: str) -> str:
    """Return an item or ability as a title made from the game's own name, as the files have no other:
    ``upgrade_high_velocity_mag`` is High Velocity Mag."""
    return _PREFIXES.sub("", name, count=1).replace("_", " ").title()


def points(replay: ReplayLike) -> Iterator[presentation.Note]:
    """Yield the points spent on abilities in order, by hero."""
    columns = ["tick", "hero", "ability", "ability_level", "player", "team"]
    for row in replay.table("ability_upgrades", columns=columns).to_pylist():
        if row["ability"] and row["hero"]:
            text = f"{spoken(row['ability'])}, level {row['ability_level']}"
            yield presentation.Note(row["tick"], row["hero"], text, row["player"], row["team"])


def motion(replay: Any) -> Source2Motion:
    """Return the moving entities of a replay."""
    from playhead.deadlock.motion import DeadlockMotion

    return DeadlockMotion(replay)


PRESENTATION = presentation.Presentation(
    title=title_with_build,
    character=hero,
    sides={2: "Hidden King", 3: "Archmother"},
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is the drop of the barriers)",
    economy=presentation.Series("player_series", ("net_worth",), "net worth (souls)", {"every": "10s"}),
    advantage=presentation.Series("player_series", ("net_worth",), "net worth (souls)", {"every": "10s"}),
    series=SERIES,
    curves={"last hits": ("last_hits",), "souls in hand": ("souls",), "denies": ("denies",)},
    deaths=presentation.deaths_of_kills,
    deaths_label="deaths of heroes",
    highlights=highlights,
    builds=presentation.Builds(
        "item_events",
        "item",
        "items",
        notes={"change": {"sale": "sold", "swap": "swapped", "failure": "not bought"}},
        title=spoken,
    ),
    notes=(presentation.Notes("abilities", "ability_upgrades", points),),
    plots={
        "positions": "heroes",
        "economy": "net worth in souls",
        "advantage": "net worth, between two sides",
        "activity": "orders and commands, if the recording has them",
        "kills": "from messages and game events",
    },
    report_tables=("info", "players", "chat", "kills", "structures"),
    feed=presentation.EventFeed(
        notable=(
            *("player_killed", "structure_destroyed", "structure_damaged", "boss_killed", "urn_picked_up"),
            *("urn_dropped", "urn_returned", "rift_announced", "rift_opened", "rift_captured", "rift_expired"),
            *("flex_slot_unlocked", "chat_sent", "game_paused"),
        ),
        jumps=(
            presentation.Jump("kill", "x", presentation.of_kinds("player_killed")),
            presentation.Jump(
                "objective",
                "o",
                presentation.of_kinds(
                    *("structure_destroyed", "structure_damaged", "boss_killed", "rift_opened", "rift_captured")
                ),
            ),
        ),
        hidden_fields=HIDDEN_FIELDS | _OMITTED,
        kill=kill,
        opens_on=(
            presentation.Opening(
                "the largest fight", presentation.of_kinds("player_killed"), span=presentation.span_of_fight
            ),
        ),
        plain=("boss_killed", "game_paused"),
        words={"structure_destroyed": "destroyed", "structure_damaged": "under attack", "game_paused": "pause"}
        | {"boss_killed": "kills the mid boss", "flex_slot_unlocked": "flex slot"},
        lines={
            "structure_destroyed": lambda row: (row.get("structure"), _lane(row)),
            "structure_damaged": lambda row: (row.get("structure"),),
            **dict.fromkeys(("urn_picked_up", "urn_dropped", "urn_returned"), lambda row: ()),
            **dict.fromkeys(
                ("rift_announced", "rift_opened", "rift_captured", "rift_expired"), lambda row: (_lane(row),)
            ),
            "flex_slot_unlocked": lambda row: (row.get("flex_slot"),),
        },
        place=lambda replay: half,
    ),
    map=presentation.MapLook(
        motion=motion,
        layers=(*LAYERS[:4], "effects"),
        effects=kill_effects,
        length=("world units", 1.0),
        samples="seconds of a hero",
        marks=places,
        extent=corners,
        ground=ground,
        installed=installed,
        tables=("structures", "ziplines", "match", "positions"),
        mark_styles={
            "patron": presentation.MarkStyle(size=2.2, symbol="*", area=130.0),
            "shrine": presentation.MarkStyle(symbol="D", area=26.0),
            "walker": presentation.MarkStyle(symbol="s", area=40.0),
            "guardian": presentation.MarkStyle(symbol="s", area=20.0),
            "barracks": presentation.MarkStyle(symbol="D", area=20.0),
            "sentry": presentation.MarkStyle(symbol=".", area=16.0),
            **{
                f"{lane} lane": presentation.MarkStyle(shape="disc", size=0.5, colour=colour)
                for lane, colour in _LANES.items()
            },
        },
        mark_radius=120.0,
        legend=(("number", "hero"), ("cross", "dead"), ("small", "unit"), ("block", "objective")),
    ),
    stage=presentation.Stage(
        colours={2: "#e0a63a", 3: "#5a8ff0"},
        scores=presentation.kill_scores,
        score_label="kills",
        totals=("net_worth",),
        facts=("hero", "level", "net_worth"),
        dead_seconds="respawn_seconds",
        pictures=pictures,
        turns=turns,
        reads=("kills", "fights", "player_stats"),
        tables=(
            (
                "player_stats",
                tuple(
                    "player kills deaths assists net_worth level last_hits denies hero_damage objective_damage "
                    "hero_healing".split()
                ),
            ),
        ),
    ),
    wording=presentation.Wording(
        title=lambda text: spoken(text) if _PREFIXES.match(text) else None,
        prefixes=_PREFIXES.pattern,
        hidden_facts=(
            *("hero", "side", "roll", "base_max_health", "revealed_by_npc_server_seconds", "health_regen"),
            *(f"souls_{part}" for part in "creeps air_orbs ground_orbs denies kills neutrals solo_bonus".split()),
            *("ability_points", "ability_points_earned", "start_lane", "start_lane_id", "lane", "lane_id"),
            *("items", "boon_count", "rank", "life_state_id", "spent_souls", "hero_build_id", "barrier"),
        ),
        class_prefixes=r"CCitadel_?(?:Ability_|Item_)?|CNPC_|" + CLASS_PREFIXES,
    ),
)
