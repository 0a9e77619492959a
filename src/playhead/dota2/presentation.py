"""How plots and the viewer show Dota 2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from playhead import presentation
from playhead.dota2.sources.names import known_title, title
from playhead.dota2.sources.roster import OTHER_SIDE
from playhead.model import Info, Player, ReplayLike
from playhead.presentation.map import LAYERS, SIGHT, kill_effects
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS, title_with_build

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import EventUnit
    from playhead.presentation.map import Effect
    from playhead.presentation.picture import MapPicture
    from playhead.source2.motion import Source2Motion

#: Labels of objectives in plots, by `objective_events.event`, of bosses by `boss`; plots leave others out.
_HIGHLIGHTS = {
    "structure_destroyed": "destroyed a building",
    "roshan": "killed Roshan",
    "tormentor": "killed a Tormentor",
    "aegis_stolen": "stole the Aegis",
    "mega_creeps_started": "got mega creeps",
}


def hero(player: Player) -> str | None:
    """Return the hero as the game displays it: ``npc_dota_hero_zuus`` is Zeus."""
    return title(player.character) if player.character else None


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the buildings of table ``structures`` and the places of the bosses."""
    for row in replay.table("structures", columns=["kind", "team", "x", "y"]).to_pylist():
        if row["x"] is not None and row["y"] is not None:
            kind = row["kind"] if row["kind"] in ("tower", "barracks", "ancient") else "building"
            yield presentation.Mark(kind, row["x"], row["y"], row["team"])
    for row in replay.table("bosses", columns=["boss", "x", "y"]).to_pylist():
        if row["x"] is not None and row["y"] is not None:
            name = row["boss"].capitalize()
            yield presentation.Mark(name, row["x"], row["y"], None, name)


def ground(replay: Any) -> MapPicture | None:
    """Return the ground where heroes, creeps, buildings and other entities were."""
    return motion(replay).ground(cell=96.0, step=100.0)


def installed(replay: Any) -> MapPicture | None:
    """Return the minimap of the installed game; None for maps of custom games."""
    from playhead.source2.game_files.overview import overview_picture

    return overview_picture("dota 2 beta/game/dota", "dota") if _is_own(replay.info) else None


def pictures(replay: Any) -> dict[str, bytes]:
    """Return the pictures of the players' heroes in the installed game."""
    from playhead.source2.game_files.faces import installed_pictures

    heroes = {each.character for each in replay.players if each.character}
    wanted = {title(hero) or hero: (f"{hero}_png.vtex_c",) for hero in heroes}
    return installed_pictures("dota 2 beta/game/dota", "panorama/images/heroes", wanted)


def _is_own(info: Info) -> bool:
    """Return whether a match was on the game's own map."""
    return re.fullmatch(r"start|dota(_\d+)?", info.map or "start") is not None


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield the objectives that have a label."""
    names = ["game_seconds", "event", "boss", "team", "owner_team"]
    for row in replay.table("objective_events", columns=names).to_pylist():
        label = _HIGHLIGHTS.get(row["boss"] or row["event"])
        if label is not None and row["game_seconds"] is not None:
            fell = row["event"] == "structure_destroyed"
            team = OTHER_SIDE.get(row["owner_team"]) if fell else row["team"]
            yield presentation.Highlight(row["game_seconds"], label, team)


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the largest fight, and the first Roshan."""
    best = presentation.largest_fight(replay)
    if best is not None:
        text = presentation.died({"Radiant": best["radiant_deaths"], "Dire": best["dire_deaths"]})
        swing = best["net_worth_swing"] or 0
        worth = f"{abs(swing):,.0f} net worth" if swing else ""
        team = 2 if swing > 0 else 3 if swing < 0 else None
        yield presentation.Turn(best["tick"], "the largest fight", ": ".join(filter(None, (worth, text))), team)
    for row in replay.table("objective_events", columns=["tick", "event", "boss", "team"]).to_pylist():
        if row["boss"] == "roshan":
            yield presentation.Turn(row["tick"], "the first Roshan", "killed", row["team"])
            break
    yield from _lanes(replay)
    yield from _wards(replay)


def _lanes(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield who led each lane at the end of the laning."""
    columns = ["tick", "game_seconds", "team", "lane", "lane_outcome"]
    rows = [row for row in replay.table("lanes", columns=columns).to_pylist() if row["team"] == 2]
    outcomes = {row["lane"]: row["lane_outcome"] for row in rows if row["lane_outcome"] and row["lane"]}
    said = {"won": "Radiant", "lost": "Dire", "draw": "even"}
    words = [f"{lane} {said[outcomes[lane]]}" for lane in ("top", "mid", "bottom") if outcomes.get(lane) in said]
    if words:
        held = list(outcomes.values())
        more = held.count("won") - held.count("lost")
        team = 2 if more > 0 else 3 if more < 0 else None
        minutes = f"{rows[0]['game_seconds'] / 60:.0f}:00"
        yield presentation.Turn(rows[0]["tick"], f"the lanes at {minutes}", ", ".join(words), team)


def _wards(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield how many observer wards the sides placed and lost, at the first that an enemy destroyed."""
    columns = ["tick", "end_tick", "kind", "team", "outcome"]
    rows = [row for row in replay.table("wards", columns=columns).to_pylist() if row["kind"] == "observer"]
    words = []
    for team, side in PRESENTATION.sides.items():
        own = [row["outcome"] for row in rows if row["team"] == team]
        words.append(f"{side} {len(own)} placed, {own.count('killed')} lost")
    if rows:
        lost = [row["end_tick"] for row in rows if row["outcome"] == "killed" and row["end_tick"] is not None]
        yield presentation.Turn(min(lost, default=rows[0]["tick"]), "observer wards", "; ".join(words))


def drafted(replay: ReplayLike) -> Iterator[presentation.Note]:
    """Yield the bans and picks in order."""
    columns = ["tick", "action", "hero", "player", "team"]
    for row in replay.table("draft", columns=columns).to_pylist():
        if row["hero"]:
            text = title(row["hero"]) or row["hero"]
            yield presentation.Note(row["tick"], row["action"], text, row["player"], row["team"])


def warded(replay: ReplayLike) -> Iterator[presentation.Note]:
    """Yield the wards with their fates."""
    columns = ["tick", "kind", "player", "team", "x", "y", "outcome", "duration_seconds"]
    for row in replay.table("wards", columns=columns).to_pylist():
        lasted = "" if row["duration_seconds"] is None else f" after {row['duration_seconds']:.0f} s"
        text = f"{row['outcome']}{lasted}" if row["outcome"] else "stands at the end"
        place = row["x"], row["y"]
        yield presentation.Note(row["tick"], row["kind"] or "ward", text, row["player"], row["team"], *place)


#: Map units that a ward sees; true sight of sentries.
_SIGHT = {"observer": 1600.0, "sentry": 1000.0}


def effects(replay: ReplayLike) -> Iterator[Effect]:
    """Yield the kills, and what wards see while they stand."""
    from playhead.presentation.map import Effect

    yield from kill_effects(replay)
    last = replay.info.duration_ticks or 0
    columns = ["tick", "end_tick", "kind", "player", "team", "x", "y"]
    for row in replay.table("wards", columns=columns).to_pylist():
        if row["x"] is not None and row["kind"] in _SIGHT:
            end = last if row["end_tick"] is None else row["end_tick"]
            whose = row["player"], row["team"]
            yield Effect(SIGHT, row["tick"], end, row["x"], row["y"], None, None, _SIGHT[row["kind"]], *whose)


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return a kill with ability or item; creeps and towers are named."""
    if event.kind != "player_killed":
        return None
    get = event.payload.get
    killing = get("attacker") if event.player is None else None
    return presentation.Kill(event.player, get("victim_player"), get("inflictor"), None, killing)


def _bottled(row: Mapping[str, Any]) -> str | None:
    return "bottled" if row.get("outcome") == "bottled" else None


def _building(row: Mapping[str, Any]) -> str:
    """Return a building in words: side, lane, tier."""
    side = PRESENTATION.sides.get(row.get("team") or 0)
    tier = f"tier {row['tier']}" if row.get("tier") else None
    words = (side and f"{side}'s", row.get("lane"), row.get("structure"), tier)
    return " ".join(str(word) for word in words if word)


#: The river is where the sum of the coordinates is nearer to 0.
_RIVER = 3000


def half(event: Event) -> str | None:
    """Return the part of the map in which an event was: Radiant is in the lower left."""
    x, y = event.payload.get("x"), event.payload.get("y")
    if x is None or y is None:
        return None
    return "at the river" if abs(x + y) < _RIVER else "in Radiant's half" if x + y < 0 else "in Dire's half"


_SAME = (
    "gold_earned net_worth xp level kills deaths assists last_hits denies "
    "health max_health mana max_mana alive x y"
)

SERIES = (
    presentation.SeriesSource(
        "player_series",
        {
            "game_seconds": ("game_seconds",),
            "gold": ("gold_reliable", "gold_unreliable"),
            **{name: (name,) for name in _SAME.split()},
        },
        step=1.0,
        sampled=True,
        game="dota2",
    ),
)

MARK_STYLES = {
    "ancient": presentation.MarkStyle(size=2.2, symbol="*", area=130.0),
    "tower": presentation.MarkStyle(symbol="s", area=26.0),
    "barracks": presentation.MarkStyle(symbol="D", area=20.0),
    "building": presentation.MarkStyle(symbol=".", area=22.0),
    "Roshan": presentation.MarkStyle(symbol="P", area=60.0),
    "Tormentor": presentation.MarkStyle(symbol="X", area=50.0),
    "tree": presentation.MarkStyle("disc", 0.8, "tree"),
}


def motion(replay: Any) -> Source2Motion:
    """Return the moving entities of a replay."""
    from playhead.dota2.motion import DotaMotion

    return DotaMotion(replay)


PRESENTATION = presentation.Presentation(
    title=title_with_build,
    map_name=lambda info: None if _is_own(info) else info.map,
    character=hero,
    sides={2: "Radiant", 3: "Dire"},
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is the horn)",
    economy=presentation.Series("player_series", ("net_worth",), "net worth (gold)", {"every": "10s"}),
    advantage=presentation.Series("player_series", ("net_worth",), "net worth (gold)", {"every": "10s"}),
    series=SERIES,
    curves={"experience": ("xp",), "last hits": ("last_hits",)},
    deaths=presentation.deaths_of_kills,
    deaths_label="deaths of heroes",
    highlights=highlights,
    win_chance=presentation.WinChance("team_series", "radiant_win_probability", 2),
    builds=presentation.Builds(
        "item_events",
        "item",
        "items",
        notes={"change": {"sale": "sold", "drop": "dropped", "pickup": "picked up", "consumption": "used up"}},
    ),
    notes=(presentation.Notes("draft", "draft", drafted), presentation.Notes("wards", "wards", warded)),
    plots={
        "positions": "heroes and couriers, unless a player recorded",
        "economy": "net worth",
        "advantage": "net worth, between two sides",
        "activity": "orders, if the recording has them; otherwise commands of the player who recorded",
        "kills": "from the combat log",
    },
    report_tables=("info", "players", "chat", "kills", "objective_events"),
    feed=presentation.EventFeed(
        notable=(
            *(
                "player_killed",
                "first_blood",
                "fight_started",
                "structure_destroyed",
                "boss_killed",
                "aegis_taken",
            ),
            *("aegis_stolen", "aegis_denied", "mega_creeps_started", "player_bought_back", "glyph_used"),
            *("scan_used", "smoke_used", "rune_taken", "ward_placed", "chat_sent", "hero_picked", "hero_banned"),
            *("horn_sounded", "game_paused", "game_resumed"),
        ),
        jumps=(
            presentation.Jump("kill", "x", presentation.of_kinds("player_killed")),
            presentation.Jump("fight", "g", presentation.of_kinds("fight_started")),
            presentation.Jump(
                "objective",
                "o",
                presentation.of_kinds("structure_destroyed", "boss_killed", "aegis_taken"),
            ),
        ),
        hidden_fields=HIDDEN_FIELDS
        | {"attacker_player", "attacker_owner", "target_player", "victim_player", "player_name", "hero"}
        | {"ability_link", "known_by", "max_health"},
        kill=kill,
        opens_on=(
            presentation.Opening(
                "the largest fight", presentation.of_kinds("player_killed"), span=presentation.span_of_fight
            ),
            presentation.Opening(
                "the last of the draft", presentation.of_kinds("hero_picked", "hero_banned"), "last"
            ),
        ),
        plain=tuple("first_blood game_paused game_resumed horn_sounded glyph_used scan_used aegis_taken".split()),
        words={
            "structure_destroyed": "destroyed",
            "ward_placed": "ward",
            "rune_taken": "rune",
            "scan_used": "scan",
            "glyph_used": "glyph",
            "first_blood": "first blood",
            "aegis_taken": "takes the Aegis",
            "mega_creeps_started": "mega creeps",
            "boss_killed": "killed",
            "horn_sounded": "horn",
            "game_paused": "pause",
            "game_resumed": "resume",
            "fight_started": "fight",
            "smoke_used": "smoke",
            "hero_picked": "pick",
            "hero_banned": "ban",
            "aegis_stolen": "steals the Aegis",
            "aegis_denied": "denies the Aegis",
            "player_bought_back": "buys back",
        },
        lines={
            "hero_picked": lambda row: (row.get("hero"),),
            "hero_banned": lambda row: (row.get("hero"),),
            "boss_killed": lambda row: (str(row.get("boss")).capitalize(),),
            "fight_started": lambda row: tuple(
                f"{side} loses {row[column]}"
                for side, column in (("Radiant", "radiant_deaths"), ("Dire", "dire_deaths"))
                if row[column]
            ),
            "ward_placed": lambda row: (row.get("ward"),),
            "rune_taken": lambda row: (str(row.get("rune")).replace("_", " "), _bottled(row)),
            "structure_destroyed": lambda row: (_building(row), "denied" if row.get("denied") else None),
            "smoke_used": lambda row: (row.get("members"),),
        },
        place=lambda replay: half,
    ),
    map=presentation.MapLook(
        motion=motion,
        layers=(*LAYERS[:4], "effects"),
        effects=effects,
        length=("map units", 1.0),
        samples="seconds of a hero or courier",
        marks=marks,
        mark_styles=MARK_STYLES,
        mark_radius=90.0,
        ground=ground,
        tables=("structures", "bosses", "positions"),
        installed=installed,
        legend=(("number", "hero"), ("cross", "dead"), ("small", "unit"), ("block", "building")),
    ),
    stage=presentation.Stage(
        colours={2: "#5cb85c", 3: "#e0554d"},
        plotted={2: "#53a653", 3: "#8f221b"},
        scores=presentation.kill_scores,
        score_label="kills",
        totals=("net_worth",),
        facts=("hero", "level", "net_worth"),
        dead_seconds="dead_seconds",
        pictures=pictures,
        turns=turns,
        reads=("kills", "fights", "objective_events", "lanes", "wards", "player_stats"),
        tables=(
            (
                "player_stats",
                tuple(
                    "player kills deaths assists net_worth gpm xpm last_hits denies hero_damage tower_damage "
                    "healing observer_wards_placed sentry_wards_placed".split()
                ),
            ),
        ),
    ),
    wording=presentation.Wording(
        title=known_title,
        fact_names={"gpm": "GPM", "xpm": "XPM"},
        hidden_facts=("hero",),
        prefixes=r"npc_dota_(?:hero_)?|item_|modifier_|dota_(?=goodguys|badguys)",
        class_prefixes=r"CDOTA_(?:Unit_|BaseNPC_|Item_)?(?:Hero_)?|" + CLASS_PREFIXES + r"|Item (?=\S)",
    ),
)
