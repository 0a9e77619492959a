"""What pictures and summaries need to know of Dota 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from playhead.model import Death, Highlight, Mark, Player, Presentation, ReplayLike, Series, SeriesSource

_HERO = "npc_dota_hero_"

#: What a side did in pictures, by `objectives.event`; other events are left out.
_HIGHLIGHTS = {
    "building_destroyed": "destroyed a building",
    "roshan_killed": "killed Roshan",
    "tormentor_killed": "killed a Tormentor",
    "aegis_stolen": "stole the Aegis",
    "mega_creeps": "got mega creeps",
}

#: How long before a death the last known place of the hero still counts, in seconds.
_RECENT = 3.0


def hero(player: Player) -> str | None:
    """The hero as people write it, made of the game's own name: ``npc_dota_hero_drow_ranger`` is Drow Ranger."""
    if not player.character:
        return None
    return player.character.removeprefix(_HERO).replace("_", " ").title()


def marks(replay: ReplayLike) -> Iterator[Mark]:
    """Buildings of the two sides, as table ``buildings`` has them, and where Roshan was."""
    for row in replay.table("buildings", columns=["kind", "team", "x", "y"]).to_pylist():
        if row["x"] is not None and row["y"] is not None:
            kind = row["kind"] if row["kind"] in ("tower", "barracks", "ancient") else "building"
            yield Mark(kind, row["x"], row["y"], row["team"])
    for row in replay.table("bosses", columns=["boss", "x", "y"]).to_pylist():
        if row["x"] is not None and row["y"] is not None:
            yield Mark(row["boss"].capitalize(), row["x"], row["y"])


def deaths(replay: ReplayLike) -> Iterable[Death]:
    """Deaths of heroes, no illusions. Where the combat log has no place, it is the hero's own a moment before."""
    names = ("tick", "game_seconds", "x", "y", "target_player", "target_team", "attacker_player")
    flags = ("target_is_hero", "target_is_illusion", "will_reincarnate")
    rows = replay.table("kills", columns=[*names, *flags]).to_pylist()
    rows = [row for row in rows if row["target_is_hero"] and not row["target_is_illusion"]]
    teams = {player.player: player.team for player in replay.players}
    places = _places(replay) if any(row["x"] is None or row["y"] is None for row in rows) else {}
    found = []
    for row in rows:
        if row["will_reincarnate"] or row["game_seconds"] is None:
            continue
        who, x, y = row["target_player"], row["x"], row["y"]
        if x is None or y is None:
            x, y = _last_place(places.get(who, ()), row["game_seconds"])
        team = row["target_team"] if row["target_team"] is not None else teams.get(who)
        found.append(Death(row["game_seconds"], x, y, who, team, row["attacker_player"]))
    return found


def _places(replay: ReplayLike) -> dict[int, list[tuple[float, float, float]]]:
    """When and where each player's own hero was, in order."""
    found: dict[int, list[tuple[float, float, float]]] = {}
    columns = ["game_seconds", "player", "x", "y", "main"]
    for row in replay.table("positions", columns=columns).to_pylist():
        if row["main"] and None not in (row["player"], row["game_seconds"], row["x"], row["y"]):
            found.setdefault(row["player"], []).append((row["game_seconds"], row["x"], row["y"]))
    return found


def _last_place(
    places: Iterable[tuple[float, float, float]], seconds: float
) -> tuple[float, float] | tuple[None, None]:
    before = [place for place in places if seconds - _RECENT <= place[0] <= seconds]
    return before[-1][1:] if before else (None, None)


def highlights(replay: ReplayLike) -> Iterator[Highlight]:
    """The objectives that legends have a name for."""
    for row in replay.table("objectives", columns=["game_seconds", "event", "team"]).to_pylist():
        if row["event"] in _HIGHLIGHTS and row["game_seconds"] is not None:
            yield Highlight(row["game_seconds"], _HIGHLIGHTS[row["event"]], row["team"])


_SAME = (
    "gold_earned net_worth xp level kills deaths assists last_hits denies "
    "health max_health mana max_mana alive x y"
)

SERIES = (
    SeriesSource(
        "player_series",
        {
            "game_seconds": ("game_seconds",),
            "gold": ("gold_reliable", "gold_unreliable"),
            **{name: (name,) for name in _SAME.split()},
        },
        sampled=True,
    ),
)

PRESENTATION = Presentation(
    economy=Series("player_series", ("net_worth",), "net worth (gold)", {"every": "10s"}),
    advantage=Series("player_series", ("net_worth",), "net worth (gold)", {"every": "10s"}),
    series=SERIES,
    curves={"experience": ("xp",), "last hits": ("last_hits",)},
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is the horn)",
    character=hero,
    title=lambda info: "Dota 2" if info.build is None else f"Dota 2, build {info.build}",
    length=("world units", 1.0),
    samples="seconds of a hero or courier",
    marks=marks,
    deaths=deaths,
    deaths_label="deaths of heroes",
    highlights=highlights,
)
