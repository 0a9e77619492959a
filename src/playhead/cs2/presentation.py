"""How plots and the viewer show CS2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from playhead import presentation
from playhead.cs2.sources.maps import CORNER, levels, sites
from playhead.cs2.sources.words import TEAMS, TITLES, are_enemies, known_title
from playhead.presentation.map import LAYERS
from playhead.presentation.notes import Note
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS, title
from playhead.text.names import spaced

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.model import ReplayLike
    from playhead.presentation import EventUnit
    from playhead.presentation.map import Effect
    from playhead.presentation.picture import MapPicture
    from playhead.source2.motion import Source2Motion


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield bomb sites and rescue zones."""
    apart = levels(replay)
    for kind, x, y, z, letter in sites(replay):
        if kind != CORNER:
            yield presentation.Mark(kind, x, y - (apart.drop(z) if apart else 0.0), None, letter or kind)


def corners(replay: ReplayLike) -> Iterator[tuple[float, float]]:
    """Yield the places that bound the game's radar, for each level."""
    apart = levels(replay)
    for kind, x, y, *_ in sites(replay):
        if kind == CORNER:
            yield x, y
            if apart is not None:
                yield x, y - apart.distance


def ground(replay: Any) -> MapPicture | None:
    """Return the ground where players and props were, inside of the radar's bounds."""
    return motion(replay).ground(cell=32.0, step=120.0, near=3)


def installed(replay: Any) -> MapPicture | None:
    """Return the picture of the map in the installed game."""
    from playhead.source2.game_files.overview import overview_picture

    return overview_picture(
        "Counter-Strike Global Offensive/game/csgo",
        (replay.brief_info.map or "").rpartition("/")[2],
        levels(replay),
    )


def pictures(replay: Any) -> dict[str, bytes]:
    """Return the icons of weapons in the installed game, by the titles of the weapons."""
    from playhead.source2.game_files.faces import installed_pictures

    wanted: dict[str, list[str]] = {}
    for word, shown in TITLES.items():
        wanted.setdefault(shown, []).append(f"{word}.vsvg_c")
    return installed_pictures(
        "Counter-Strike Global Offensive/game/csgo", "panorama/images/icons/equipment", wanted
    )


def deaths(replay: ReplayLike) -> Iterator[presentation.Death]:
    """Yield every death of a player that counts, in order; the time is that of the recording. A kill counts to an
    enemy of the victim, as in `player_stats`."""
    names = "tick seconds round_num counts victim_x victim_y victim_z victim_player victim_side".split()
    names += ["attacker_player", "attacker_side"]
    apart = levels(replay)
    for row in replay.table("kills", columns=names).to_pylist():
        if row["counts"] is False:
            continue
        if apart is not None and row["victim_y"] is not None:
            row["victim_y"] -= apart.drop(row["victim_z"])
        yield presentation.Death(
            row["tick"],
            row["seconds"] or 0.0,
            row["victim_x"],
            row["victim_y"],
            row["victim_player"],
            TEAMS.get(row["victim_side"]),
            row["attacker_player"] if are_enemies(row["attacker_side"], row["victim_side"]) else None,
            row["round_num"],
        )


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield the ends of rounds."""
    names = ["end_tick", "winner_side", "counts"]
    rate = replay.info.ticks_per_second
    for row in replay.table("rounds", columns=names).to_pylist():
        if row["end_tick"] is not None and row["counts"] and rate:
            yield presentation.Highlight(row["end_tick"] / rate, "won a round", TEAMS.get(row["winner_side"]))


def chapters(replay: ReplayLike) -> Iterator[presentation.Chapter]:
    """Yield the rounds: number, winner with the reason, and the score after it."""
    for row in replay.table("rounds").to_pylist():
        if row["freeze_end_tick"] is None:
            continue
        name = str(row["round_num"]) if row["counts"] else {"live": "undone"}.get(row["phase"], row["phase"])
        buys = [row[f"{side}_buy_type"] for side in TEAMS]
        bought = "" if None in buys else " v ".join(buys).replace("_", " ")
        note = ", ".join(filter(None, (*_won(row), bought)))
        opens = row["freeze_end_tick"]
        yield presentation.Chapter(
            opens if row["start_tick"] is None else row["start_tick"],
            row["official_end_tick"] or row["end_tick"],
            name,
            TEAMS.get(row["winner_side"]),
            note,
            bool(row["counts"]),
            opens,
        )


def scores(replay: ReplayLike) -> Iterator[presentation.Score]:
    """Yield the rounds that each side has won, as the game shows them: players keep theirs when sides change."""
    for row in replay.table("rounds").to_pylist():
        if row["phase"] != "live" or not _score(row):
            continue
        for side, team in TEAMS.items():
            won = row[f"{side}_score"]
            if row["start_tick"] is not None:
                yield presentation.Score(row["start_tick"], team, won - (row["winner_side"] == side))
            yield presentation.Score(row["end_tick"], team, won)


def final_score(replay: ReplayLike) -> str | None:
    """Return the score after the last round that counts, by the sides of that round: ``13:7 (T:CT)``."""
    found = [_score(row) for row in replay.table("rounds").to_pylist() if row["phase"] == "live" and row["counts"]]
    known = list(filter(None, found))
    return f"{known[-1]} (T:CT)" if known else None


def situations(replay: ReplayLike) -> Iterator[Note]:
    """Yield the situations of the rounds that count."""
    for row in replay.table("situations").to_pylist():
        kind, text = row["kind"], f"round {row['round_num']}"
        if not row["counts"] or not row["round_num"] or (kind == "clutch" and row["won"] is None):
            continue
        if kind == "outnumbered":
            kind, text = f"{row['own_alive']} v {row['opponents']} won", f"{text}, {row['side'].upper()}"
        elif kind == "clutch":
            kind, text = f"clutch {'won' if row['won'] else 'lost'}", f"{text}, 1 v {row['opponents']}"
        elif kind == "opening_traded":
            kind = "opening death traded"
        yield Note(row["tick"], kind, text, row["player"], TEAMS.get(row["side"]))


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the clutch that was won against most, the best player with their best round, and the most opening
    kills with the first of them."""
    columns = "tick round_num player name side opponents won counts".split()
    won = [row for row in replay.table("clutches", columns=columns).to_pylist() if row["won"] and row["counts"]]
    if won:
        best = max(won, key=lambda row: (row["opponents"], row["tick"]))
        text = f"R{best['round_num']}: {best['name']} wins a 1v{best['opponents']}"
        yield presentation.Turn(best["tick"], "the largest clutch", text, TEAMS.get(best["side"]))
    players = [row for row in replay.table("player_stats").to_pylist() if row["rating_2"] is not None]
    if players:
        best = max(players, key=lambda row: row["rating_2"])
        text = f"{best['name']} {best['rating_2']:.2f}, ADR {best['adr']:.0f}, KAST {best['kast']:.0f} %"
        yield presentation.Turn(_best_round(replay, best["player"]), "the best rating (2.0)", text)
        first = max(players, key=lambda row: row["opening_kills"] - row["opening_deaths"])
        text = f"{first['name']} {first['opening_kills']}–{first['opening_deaths']}"
        yield presentation.Turn(_first_opening(replay, first["player"]), "opening kills and deaths", text)


def _kills(replay: ReplayLike) -> list[dict[str, Any]]:
    """Return the kills of rounds that count, of enemies."""
    names = "tick round_num counts attacker_player attacker_side victim_side".split()
    rows = replay.table("kills", columns=names).to_pylist()
    return [row for row in rows if row["counts"] and are_enemies(row["attacker_side"], row["victim_side"])]


def _best_round(replay: ReplayLike, player: int) -> int:
    """Return the tick of a player's first kill in the round with most of them; 0 without one."""
    own = [row for row in _kills(replay) if row["attacker_player"] == player]
    most = Counter(row["round_num"] for row in own).most_common(1)
    return next((int(row["tick"]) for row in own if most and row["round_num"] == most[0][0]), 0)


def _first_opening(replay: ReplayLike, player: int) -> int:
    """Return the tick of the first opening kill of a player; 0 without one."""
    opened: set[int | None] = set()
    for row in _kills(replay):
        if row["round_num"] not in opened and row["attacker_player"] == player:
            return int(row["tick"])
        opened.add(row["round_num"])
    return 0


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return a kill with its weapon."""
    if event.kind != "player_killed":
        return None
    get = event.payload.get
    teams = TEAMS.get(get("attacker_side") or ""), TEAMS.get(get("victim_side") or "")
    notes = {"headshot": "headshot", "is_teamkill": "team kill", "victim_controls_bot": "in the body of a bot"}
    note = ", ".join(word for name, word in notes.items() if get(name)) or None
    return presentation.Kill(event.player, get("victim_player"), get("weapon"), note, teams=teams)


def side(event: Event) -> int | None:
    """Return the side of an event's player at that time."""
    names = ("attacker_side", "thrower_side", "player_side", "side")
    sides = (event.payload.get(name) for name in names)
    return next((TEAMS[side] for side in sides if isinstance(side, str) and side in TEAMS), None)


def _won(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the winner of a round, the reason, and the score."""
    side = PRESENTATION.sides.get(TEAMS.get(row.get("winner_side") or "", 0))
    reason = str(row.get("reason") or "")
    reason = "" if reason in ("t_win", "ct_win") else reason.replace("_", " ")
    return f"{side} win" if side else "", reason, _score(row)


def _score(row: Mapping[str, Any]) -> str:
    """Return the score after a round; empty if it is unknown."""
    both = row.get("t_score"), row.get("ct_score")
    return "" if None in both else f"{both[0]}:{both[1]}"


def _place(event: Event) -> str | None:
    """Return the place at which a player died, as the map calls it, in words."""
    place = spaced(event.payload.get("victim_place") or "")
    return f"at {place}" if place else None


def effects(replay: Any) -> Iterator[Effect]:
    """Return the short marks on the map."""
    from playhead.cs2.motion import effects as made

    return made(replay)


def motion(replay: Any) -> Source2Motion:
    """Return the moving entities of a replay."""
    from playhead.cs2.motion import Cs2Motion

    return Cs2Motion(replay)


#: Fields of an event that its line omits: places, angles and sides, which the map shows, and repeated numbers.
_OMITTED = {
    f"{one}_{what}"
    for one in ("attacker", "victim", "assister", "thrower", "player")
    for what in ("x", "y", "z", "pitch", "yaw", "side", "place", "health")
} | {
    *(
        "penetrated",
        "dominated",
        "revenge",
        "assister_name",
        "assister_players",
        "end_seconds",
        "end_game_seconds",
        "reason_id",
    ),
    *("attacker_name", "victim_player", "assister_player", "match_num", "hitgroup_id", "counts", "phase"),
    *("damage_reported", "damage", "health_pre", "armor_damage", "hitgroup", "half", "overtime"),
    *("round_num", "distance_metres", "name", "thrower_name", "side", "max_alpha"),
    *("fires", "fire_x", "fire_y", "fire_z"),
    *("inferno_type_id", *(f"throw_velocity_{axis}" for axis in "xyz")),
    *(f"{when}_{axis}" for when in ("throw", "detonation", "end") for axis in "xyz"),
    *(f"{side}_{what}" for side in TEAMS for what in ("equipment_value", "money", "buy_type", "loss_bonus")),
}

_SAME = "health armor money equipment_value alive x y z ammo"
SERIES = (
    presentation.SeriesSource(
        "player_series",
        {name: (name,) for name in _SAME.split()},
        step=1.0,
        sampled=True,
        gone=("counts", "false"),
        game="cs2",
    ),
)

PRESENTATION = presentation.Presentation(
    title=title,
    final_score=final_score,
    sides={2: "Terrorists", 3: "Counter-Terrorists"},
    economy=presentation.Series("player_series", ("equipment_value",), "equipment ($)", {"every": "1s"}),
    advantage=presentation.Series(
        "player_series", ("equipment_value",), "equipment ($)", {"every": "1s"}, side=("side", TEAMS)
    ),
    series=SERIES,
    curves={"equipment": ("equipment_value",), "money": ("money",), "health": ("health",)},
    deaths=deaths,
    deaths_label="deaths",
    highlights=highlights,
    chapters=chapters,
    builds=presentation.Builds(
        "item_events",
        "item",
        "items",
        notes={"change": {"refund": "given back", "drop": "dropped", "pickup": "picked up"}},
    ),
    notes=(presentation.Notes("situations", "rounds", situations),),
    plots={
        "positions": "players",
        "economy": "value of equipment",
        "advantage": "value of equipment, between two sides",
        "activity": "commands that the server recorded",
        "kills": "of all rounds or some",
    },
    report_tables=("info", "players", "rounds", "kills", "chat"),
    feed=presentation.EventFeed(
        notable=(
            *"player_killed round_went_live round_ended bomb_planted bomb_defused bomb_exploded".split(),
            *"bomb_plant_started bomb_defuse_started grenade_thrown smoke_started fire_started".split(),
            *"player_blinded chat_sent game_paused game_resumed".split(),
        ),
        words={
            "round_went_live": "round starts",
            "round_ended": "round ends",
            "game_paused": "pause",
            "game_resumed": "resume",
            "bomb_planted": "bomb planted",
            "bomb_defused": "bomb defused",
            "bomb_exploded": "bomb exploded",
            "bomb_plant_started": "plants",
            "bomb_defuse_started": "defuses",
        },
        jumps=(
            presentation.Jump("kill", "x", presentation.of_kinds("player_killed")),
            presentation.Jump("round", "v", presentation.of_kinds("round_went_live")),
            presentation.Jump("bomb", "o", presentation.of_kinds("bomb_planted", "bomb_defused", "bomb_exploded")),
        ),
        hidden_fields=HIDDEN_FIELDS | _OMITTED,
        plain=("round_started", "round_went_live", "game_paused", "game_resumed"),
        lines={
            "round_ended": _won,
            "grenade_thrown": lambda row: (row.get("grenade"),),
            "player_blinded": lambda row: (
                f"→ {row.get('victim_name')}",
                f"{row.get('duration_seconds') or 0:.1f} s",
            ),
        },
        place=lambda replay: _place,
        kill=kill,
        side=side,
        opens_on=(
            presentation.Opening("the end of the last round", presentation.of_kinds("round_ended"), "last"),
            presentation.Opening("the most kills", presentation.of_kinds("player_killed")),
        ),
    ),
    map=presentation.MapLook(
        motion=motion,
        layers=(*LAYERS[:4], "cones", "effects"),
        legend=(
            *(("number", "player"), ("cross", "dead"), ("bomb", "bomb"), ("small", "grenade and its way")),
            *(("cone", "what a player looks at"), ("cloud", "smoke or fire, and its seconds")),
        ),
        marks=marks,
        mark_styles={
            "bomb site": presentation.MarkStyle(size=3.0, colour="#ff5a4d", symbol="s", area=60.0),
            "rescue zone": presentation.MarkStyle(size=3.0, colour="#58b368", symbol="s", area=60.0),
        },
        mark_radius=60.0,
        extent=corners,
        levels=levels,
        effects=effects,
        cone=(90.0, 450.0),
        ground=ground,
        installed=installed,
    ),
    stage=presentation.Stage(
        colours={2: "#e0a030", 3: "#5b9bf0"},
        scores=scores,
        tallies=True,
        score_label="rounds",
        facts=("active_weapon", "money"),
        pictures=pictures,
        turns=turns,
        reads=("kills", "rounds", "clutches", "player_stats"),
        tables=(
            (
                "player_stats",
                tuple(
                    "player kills deaths assists rating_2 adr kast opening_kills opening_deaths clutches_won "
                    "utility_damage enemies_flashed headshot_pct".split()
                ),
            ),
        ),
    ),
    wording=presentation.Wording(
        title=known_title,
        class_prefixes=CLASS_PREFIXES,
        fact_names={
            "thrusmoke": "through smoke",
            "rating_2": "rating",
            "adr": "ADR",
            "kast": "KAST %",
            "headshot_pct": "headshots %",
        },
    ),
)
