"""How plots and the viewer show StarCraft II."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead import presentation
from playhead.model import Player, ReplayLike
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import TOWN_HALLS, is_army, known_name
from playhead.sc2.coaching.scouted import base_names, scouted
from playhead.sc2.recording.game import STARCRAFT2

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.events import Event
    from playhead.presentation.motion import Motion
    from playhead.presentation.picture import Bounds, MapPicture
    from playhead.tables.schema import TableSchema

#: A fight is pointed out if a player killed by so many resources more than he lost.
_LARGE_TRADE = 500


def race(player: Player) -> str | None:
    """Return the race in English if the replay has it, otherwise in the language of the game that recorded it."""
    found = player.details.get("race") or player.character
    return None if found is None else str(found)


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield resources, the town halls of players, bases that nobody took, and fights, in the colour of the side
    that lost less."""
    units = replay.table("units", columns=["first_unit_type", "first_player", "x", "y"]).to_pylist()
    if not units:
        from playhead.sc2 import ground as own

        yield from own.marks(replay)
    teams, names = {player.player: player.team for player in replay.players}, base_names(replay)
    for row in units:
        kind = row["first_unit_type"] or ""
        if row["x"] is None or row["y"] is None:
            continue
        if "MineralField" in kind:
            yield presentation.Mark("minerals", row["x"], row["y"])
        elif "Geyser" in kind:
            yield presentation.Mark("vespene", row["x"], row["y"])
        elif kind in TOWN_HALLS:
            place = row["x"], row["y"]  # of several there, one has the name
            yield presentation.Mark("town hall", *place, teams.get(row["first_player"]), names.pop(place, ""))
    for row in replay.table("bases", columns=["player", "x", "y"]).to_pylist():
        if row["player"] is None:
            yield presentation.Mark("free base", row["x"], row["y"])
    best: dict[int, dict[str, Any]] = {}
    for row in replay.table("engagements").to_pylist():
        if row["engagement"] not in best or row["trade"] > best[row["engagement"]]["trade"]:
            best[row["engagement"]] = row
    for row in best.values():
        yield presentation.Mark("fight", row["x"], row["y"], teams.get(row["player"]))


def colour(player: Player) -> str | None:
    """Return the recorded colour of a player: alpha, red, green and blue."""
    found = player.details.get("color")
    if not isinstance(found, list | tuple) or len(found) != 4 or not any(found[1:]):
        return None
    return "#" + "".join(f"{int(part) & 255:02x}" for part in found[1:])


def supplies(replay: ReplayLike) -> Iterator[presentation.Score]:
    """Yield the supply of each side as it was counted, which is the score of a game under way."""
    teams = {player.player: player.team for player in replay.players}
    held: dict[int, tuple[int, float]] = {}
    columns = ["tick", "player", "supply"]
    for row in replay.table("player_series", columns=columns).drop_null().to_pylist():
        team = teams.get(row["player"])
        if team is not None:
            held[row["player"]] = team, row["supply"]
            total = sum(own for side, own in held.values() if side == team)
            yield presentation.Score(row["tick"], team, math.floor(total + 0.5))  # two zerglings are one supply


def tasks(replay: ReplayLike) -> Iterator[presentation.Activity]:
    """Yield items in production, and as bands upgrades, and bases from the end of the town hall's construction,
    or its landing, on."""
    columns = ["tick", "end_tick", "player", "product", "kind"]
    for row in replay.table("build_order", columns=columns).drop_null().to_pylist():
        tick, end, player, product, kind = (row[name] for name in columns)
        yield presentation.Activity(tick, end, player, product, "upgrades" if kind == "upgrade" else "")
    last = replay.info.duration_ticks or 0
    for row in replay.table("bases").to_pylist():
        if row["player"] is None or row["finished_tick"] is None:
            continue
        nth, end = row["nth"], last if row["end_tick"] is None else row["end_tick"]
        name = row["unit_type"] if nth is None else _RANKS.get(nth, f"base {nth}")
        yield presentation.Activity(max(row["tick"], row["finished_tick"]), end, row["player"], name, "bases")


#: Bases by their rank, in players' words.
_RANKS = {1: "main base", 2: "natural base", 3: "third base"}


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the engagement with the largest trade, and the longest supply block."""
    teams = {player.player: (player.name, player.team) for player in replay.players}
    trades = replay.table("engagements", columns=["tick", "player", "trade"]).to_pylist()
    trades = [row for row in trades if row["player"] in teams]  # arcade maps have more numbers than players
    if trades:
        best = max(trades, key=lambda row: row["trade"])
        name, team = teams[best["player"]]
        yield presentation.Turn(best["tick"], "the best trade", f"{name} +{best['trade']:,.0f} resources", team)
    blocks = (
        replay.table("supply_blocks", columns=["tick", "seconds", "player", "end_seconds"]).drop_null().to_pylist()
    )
    if blocks:
        worst = max(blocks, key=lambda row: row["end_seconds"] - row["seconds"])
        name, _ = teams.get(worst["player"], (None, None))
        lasts = worst["end_seconds"] - worst["seconds"]
        if lasts >= 1:
            yield presentation.Turn(worst["tick"], "the longest supply block", f"{name}, {lasts:.0f} s")
    yield from _bases(replay)
    yield from _spending(replay)


#: Most players that one line names.
_MOST_NAMED = 4


def _bases(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield when players first expanded, and at how many new places each finished a base, at the first of these
    expansions."""
    names = {player.player: player.name for player in replay.players}
    columns = ["tick", "seconds", "player", "base", "finished_tick"]
    taken: dict[int, dict[int, dict[str, Any]]] = {}
    for row in replay.table("bases", columns=columns).to_pylist():
        if row["player"] in names and None not in (row["base"], row["finished_tick"]):
            taken.setdefault(row["player"], {}).setdefault(row["base"], row)
    new = {player: [row for row in held.values() if row["tick"] > 0] for player, held in taken.items()}
    order = sorted((player for player in new if new[player]), key=lambda player: int(new[player][0]["tick"]))
    if order:
        columns = ["player", "first_expansion_seconds"]
        first = dict(
            zip(*(each.to_pylist() for each in replay.table("player_stats", columns=columns)), strict=True)
        )
        words = [
            f"{names[player]} {_clock(first.get(player) or new[player][0]['seconds'])}, {len(new[player])} in all"
            for player in order[:_MOST_NAMED]
        ]
        yield presentation.Turn(new[order[0]][0]["tick"], "the first new bases", "; ".join(words))


def _spending(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the spending quotients, best first, at the last count of the game: a recording may go on after it."""
    names = {player.player: player.name for player in replay.players}
    rows = replay.table("player_stats", columns=["player", "spending_quotient"]).drop_null().to_pylist()
    rows.sort(key=lambda row: -row["spending_quotient"])
    if rows:
        words = [f"{names.get(row['player'])} {row['spending_quotient']:.0f}" for row in rows[:_MOST_NAMED]]
        counted = replay.table("player_series", columns=["tick"])["tick"].to_pylist()
        yield presentation.Turn(max(counted), "spending quotient", ", ".join(words))


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def deaths(replay: ReplayLike) -> Iterator[presentation.Death]:
    """Yield units and structures of players that another player killed, without props of the map and helpers of
    the game."""
    teams = {player.player: player.team for player in replay.players if player.player is not None}
    columns = ["end_tick", "end_seconds", "end_x", "end_y", "player", "attacker_player", "unit_type"]
    table = replay.table("units", columns=columns)
    for tick, seconds, x, y, player, attacker, kind in zip(
        *(table[name].to_pylist() for name in columns), strict=True
    ):
        if seconds is None or not attacker or attacker == player or player not in teams:
            continue
        if known_name(kind or "") is not None:
            yield presentation.Death(tick, seconds, x, y, player, teams[player], attacker)


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield town halls: begun, from table ``build_order``, and lost; and the larger fights, of the side that lost
    less."""
    teams = {player.player: player.team for player in replay.players}
    for row in replay.table("build_order", columns=["seconds", "player", "kind", "product"]).to_pylist():
        if row["kind"] == "structure" and row["product"] in TOWN_HALLS:
            yield presentation.Highlight(row["seconds"], "began a town hall", teams.get(row["player"]))
    columns = ["unit_type", "player", "end_seconds", "attacker_player"]
    for row in replay.table("units", columns=columns).drop_null().to_pylist():
        if row["unit_type"] in TOWN_HALLS:
            yield presentation.Highlight(row["end_seconds"], "lost a town hall", teams.get(row["player"]))
    for row in replay.table("engagements").to_pylist():
        if row["trade"] >= _LARGE_TRADE:
            yield presentation.Highlight(row["seconds"], "won a fight", teams.get(row["player"]))


def _resources(middle: str) -> tuple[str, str]:
    return f"minerals_{middle}", f"vespene_{middle}"


_VALUES = {f"{part}_value": _resources(f"used_current_{part}") for part in ("army", "economy", "technology")}
SERIES = (
    presentation.SeriesSource(
        "player_series",
        {
            **{name: (name,) for name in ("minerals", "vespene")},
            "minerals_rate": ("minerals_collection_rate",),
            "vespene_rate": ("vespene_collection_rate",),
            **{name: (name,) for name in ("workers", "supply", "supply_made")},
            **_VALUES,
            "army_lost": _resources("lost_army"),
            "army_killed": _resources("killed_army"),
        },
        step=10.0,
    ),
    presentation.SeriesSource("creep", {"creep_area": ("area",)}, step=10.0, sampled=True, by_default=False),
)


def motion(replay: Any) -> Motion:
    """Return the moving units of a replay."""
    from playhead.sc2.motion import Sc2Motion

    return Sc2Motion(replay)


def coach(replay: ReplayLike, other: ReplayLike | None) -> Mapping[str, tuple[TableSchema, pa.Table]]:
    """Return the tables of a coach's page."""
    from playhead.sc2 import coaching

    return coaching.coach(replay, other)


def read_minimap(path: Path, replay: Any, bounds: Bounds | None) -> MapPicture:
    """Return the minimap of a map file."""
    from playhead.sc2 import ground as own

    return own.read_minimap(path, replay, bounds)


def ground(replay: Any) -> MapPicture | None:
    """Return the picture in the replay, or else the ground where orders and units were."""
    from playhead.sc2 import ground as own

    return own.draw(replay)


def installed(replay: Any) -> MapPicture | None:
    """Return the picture of the replay's map in Battle.net's cache."""
    from playhead.sc2 import ground as own

    return own.installed(replay)


def extent(replay: ReplayLike) -> Iterator[tuple[float, float]]:
    """Yield the places of all units, since a map is larger than the part with marks; without units, the corners
    of the map."""
    places = []
    if "units" in replay.tables:
        units = replay.table("units", columns=["x", "y"]).drop_null()
        places = list(zip(units["x"].to_pylist(), units["y"].to_pylist(), strict=True))
    width, height = (replay.info.details.get(name) for name in ("map_width", "map_height"))
    if not places and isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        places = [(0.0, 0.0), (float(width), float(height))]
    yield from places


def units_by_tag(replay: ReplayLike) -> Callable[[Event], presentation.EventUnit | None]:
    """Return a function from an event to its unit: deaths name the unit by its tag only."""
    if "units" not in replay.tables:
        return lambda event: None
    table = replay.table("units", columns=["unit", "unit_type", "player"])
    columns = (table[name].to_pylist() for name in ("unit", "unit_type", "player"))
    units = {unit: presentation.EventUnit(kind, player) for unit, kind, player in zip(*columns, strict=True)}
    return lambda event: units.get(event.payload.get("unit"))


def _is_kill(event: Event, unit: presentation.EventUnit | None) -> bool:
    """Return whether another player killed a unit that belonged to a player."""
    killer = event.payload.get("attacker_player")
    return event.kind == "unit_killed" and bool(killer) and (unit is None or unit.player not in (None, 0, killer))


#: Starts of names of units that nobody mourns unless somebody else killed them; drones become buildings.
_SHORT_LIVED = (
    *("Larva", "Broodling", "Locust", "AutoTurret", "MULE", "ForceField", "Interceptor", "KD8Charge"),
    *("AdeptPhaseShift", "Changeling", "Infested", "CreepTumor", "Drone", "DisruptorPhased"),
)
#: Units that are warped in, and creep tumors: not buildings.
_NOT_BUILDINGS = frozenset(
    "Zealot Stalker Sentry Adept HighTemplar DarkTemplar CreepTumor CreepTumorQueen CreepTumorBurrowed".split()
)
#: Cells from a town hall that are its base.
_BASE = 22.0


def kill(event: Event, unit: presentation.EventUnit | None) -> presentation.Kill | None:
    """Return the loss of a unit to another player."""
    if not _is_kill(event, unit):
        return None
    owner, kind = (None, None) if unit is None else (unit.player, unit.type)
    return presentation.Kill(event.payload.get("attacker_player"), owner, killed_unit=kind)


def largest_fight(replay: ReplayLike) -> tuple[int, int, dict[int, int]] | None:
    """Return the first and the last loop, and the kills, of the engagement in which all players lost the most."""
    rows = replay.table("engagements").to_pylist() if "engagements" in replay.tables else []
    rows = [row for row in rows if row["is_largest"]]
    kills = {row["player"]: row["units_killed"] for row in rows}
    return (rows[0]["tick"], rows[0]["end_tick"], kills) if rows else None


def _is_noise(event: Event, unit: presentation.EventUnit | None) -> bool:
    """Return whether the map set it up at the start, nobody lost the unit (mined-out minerals, rocks, larvae,
    units of limited life), it is an upgrade of an arcade map's own, or not a building."""
    if event.kind == "unit_started":
        return event.payload.get("unit_type") in _NOT_BUILDINGS
    if event.kind not in ("upgrade_finished", "unit_killed"):
        return False
    if event.tick == 0:
        return True
    if event.kind == "upgrade_finished":
        return known_name(event.payload.get("upgrade") or "") is None
    if unit is not None and not unit.player and "MineralField" in unit.type:
        return True  # the tracker names the player that mined the last of it as its killer
    killer = event.payload.get("attacker_player")
    if killer and (unit is None or killer != unit.player):
        return False
    if unit is None or not unit.player or unit.type.startswith(_SHORT_LIVED):
        return True
    return known_name(unit.type) is None  # a thing of an arcade map's own


def places(replay: ReplayLike) -> Callable[[Event], str | None]:
    """Return a function from an event to the player in whose base it was."""
    if "units" not in replay.tables:
        return lambda event: None
    columns = ["first_unit_type", "first_player", "x", "y"]
    rows = replay.table("units", columns=columns).drop_null().to_pylist()
    halls = [row for row in rows if row["first_unit_type"] in TOWN_HALLS and row["first_player"]]
    names = {player.player: player.name for player in replay.players}

    def place(event: Event) -> str | None:
        x, y = event.payload.get("x"), event.payload.get("y")
        if x is None or y is None or not halls:
            return None
        nearest = min(halls, key=lambda row: math.hypot(row["x"] - x, row["y"] - y))
        near = math.hypot(nearest["x"] - x, nearest["y"] - y) < _BASE
        return f"at a base of {names.get(nearest['first_player'])}" if near else "in the field"

    return place


def _is_expansion(event: Event, unit: presentation.EventUnit | None) -> bool:
    begun = ("Nexus", "Hatchery", "CommandCenter")
    return event.kind == "unit_started" and event.payload.get("unit_type") in begun


PRESENTATION = presentation.Presentation(
    title=STARCRAFT2.title_of,
    character=race,
    nobody=0,
    player_facts=("race", "league", "mmr", "difficulty", "commander"),
    time_label="time on the game's clock (min:s)",
    economy=presentation.Series(
        "player_series", ("minerals_collection_rate", "vespene_collection_rate"), "resources collected in a minute"
    ),
    advantage=presentation.Series("player_series", sum(_VALUES.values(), ()), "total value (resources)"),
    series=SERIES,
    curves={
        "army value": ("army_value",),
        "unspent resources": ("minerals", "vespene"),
        "workers": ("workers",),
        "supply used": ("supply",),
        "creep": ("creep_area",),
    },
    no_actions=frozenset({"camera_moved", "group_units_removed"}),
    deaths=deaths,
    deaths_label="units and structures lost",
    highlights=highlights,
    builds=presentation.Builds(
        "build_order",
        "product",
        "build order",
        supply="supply",
        notes={
            "boosted": {True: "chrono boost"},
            "outcome": {each: each for each in ("cancelled", "lost", "unfinished")},
        },
        grouped=True,
    ),
    notes=(presentation.Notes("scouting", "scouting", scouted),),
    plots={
        **dict.fromkeys(("positions", "economy"), "from 2.0.8 on"),
        "advantage": "from 2.0.8 on, between two sides",
        "activity": "actions without the camera",
        "kills": "from 2.0.8 on",
        "build order": "from 2.0.8 on, of players who build",
    },
    report_tables=(
        *("info", "players", "chat", "build_order", "outcomes", "player_stats", "bases", "engagements"),
        *("injects", "production", "supply_blocks"),
    ),
    coach=coach,
    feed=presentation.EventFeed(
        notable=(
            *("chat_sent", "unit_killed", "unit_started", "upgrade_finished", "ping_sent", "player_left"),
            "resources_given",
        ),
        words={
            "unit_killed": "unit lost",
            "unit_started": "production begun",
            "unit_born": "unit made",
        },
        jumps=(
            presentation.Jump("kill", "x", _is_kill),
            presentation.Jump("fight", "g", _is_kill, presentation.Cluster(6, 10.0)),
            presentation.Jump("expansion", "e", _is_expansion, own=True),
        ),
        units={"unit_killed": units_by_tag},
        hidden_fields=frozenset(
            "unit unit_index unit_recycle upkeep_player control_player target_player user ability_id "
            "attacker_unit count reason_id".split()
        ),
        kill=kill,
        noise=_is_noise,
        place=places,
        opens_on=(
            presentation.Opening("the largest fight", _is_kill, span=largest_fight),
            presentation.Opening("the end", presentation.of_kinds("player_left"), "last"),
        ),
    ),
    map=presentation.MapLook(
        motion=motion,
        length=("cells", 1.0),
        samples="births, deaths and fights of units",
        marks=marks,
        mark_styles={
            "town hall": presentation.MarkStyle(size=2.2, symbol="s", area=46.0),
            "minerals": presentation.MarkStyle("block", 0.8, "#5f9fd8", "o", 9.0, filled=True),
            "vespene": presentation.MarkStyle("block", 0.8, "#58b368", "h", 26.0),
            "neutral": presentation.MarkStyle("block", 0.8, "#8fa3b8", "o", 9.0, filled=True),
            "free base": presentation.MarkStyle(size=1.6, colour="#8a8f98", symbol="s", area=30.0),
            "fight": presentation.MarkStyle("outline", 0.6, symbol="X", area=30.0),
        },
        mark_radius=0.9,
        unit_radius=0.48,
        fade_seconds=90.0,
        inactive_units=True,
        layers=("trails", "units", "cameras", "orders"),
        camera=(24.0, 14.0),
        legend=(
            ("small", "unit, paler if seen long ago"),
            ("block", "building"),
            ("outline", "place of a town hall"),
            ("resource", "minerals"),
            ("frame", "screen of a player"),
            ("cross", "last order"),
        ),
        extent=extent,
        ground=ground,
        installed=installed,
        files={".sc2map": read_minimap, ".s2ma": read_minimap, presentation.FOLDER: read_minimap},
    ),
    stage=presentation.Stage(
        colour=colour,
        scores=supplies,
        tallies=True,
        score_label="supply",
        totals=("workers",),
        facts=("race", "workers", "mineral_rate", "vespene_rate", "minerals", "vespene", "supply"),
        is_army=is_army,
        tasks=tasks,
        turns=turns,
        tables=(
            (
                "player_stats",
                tuple(
                    "player spending_quotient supply_blocked_seconds workers_made minerals_collected "
                    "minerals_lost minerals_killed apm first_expansion_seconds".split()
                ),
            ),
        ),
    ),
    wording=presentation.Wording(
        title=known_name,
        is_unit=lambda name: known_name(name) is not None,
        hidden_names=r"RewardDance|Spray|GameHeart|Beacon|\w+Dummy$|[\w ]+Skin$",
        fact_names={
            "apm": "APM",
            "selected": "units selected",
            "mineral_rate": "income",
            "vespene_rate": "gas income",
        },
    ),
)
