"""How plots and the viewer show CS2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from playhead.presentation import (
    Death,
    EventFeed,
    Highlight,
    Jump,
    MapLook,
    Presentation,
    Series,
    SeriesSource,
    Wording,
    of_kinds,
)
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS, motion, title

if TYPE_CHECKING:
    from playhead.model import ReplayLike

_TEAMS = {"t": 2, "ct": 3}


def deaths(replay: ReplayLike) -> Iterator[Death]:
    """Yield every death of a player, in order; the time is that of the recording."""
    names = ["seconds", "victim_x", "victim_y", "victim_player", "victim_side", "attacker_player"]
    for row in replay.table("kills", columns=names).to_pylist():
        yield Death(
            row["seconds"] or 0.0,
            row["victim_x"],
            row["victim_y"],
            row["victim_player"],
            _TEAMS.get(row["victim_side"]),
            row["attacker_player"],
        )


def highlights(replay: ReplayLike) -> Iterator[Highlight]:
    """Yield the ends of rounds."""
    names = ["end_tick", "winner_side", "counts"]
    rate = replay.info.ticks_per_second
    for row in replay.table("rounds", columns=names).to_pylist():
        if row["end_tick"] is not None and row["counts"] and rate:
            yield Highlight(row["end_tick"] / rate, "won a round", _TEAMS.get(row["winner_side"]))


#: Fields of an event that its line omits: places, angles and sides, which the map shows, and repeated numbers.
_OMITTED = {
    f"{one}_{what}"
    for one in ("attacker", "victim", "assister", "thrower", "player")
    for what in ("x", "y", "z", "pitch", "yaw", "side", "place", "health")
} | {"attacker_name", "match_num", "hitgroup", "counts", "phase"}

_SAME = "health armor money equipment_value alive x y z ammo"
SERIES = (SeriesSource("player_series", {name: (name,) for name in _SAME.split()}, sampled=True, game="csgo"),)

PRESENTATION = Presentation(
    title=title,
    sides={2: "Terrorists", 3: "Counter-Terrorists"},
    economy=Series("player_series", ("equipment_value",), "equipment (money)", {"every": "1s"}),
    advantage=Series("player_series", ("equipment_value",), "equipment (money)", {"every": "1s"}),
    series=SERIES,
    curves={"equipment": ("equipment_value",), "money": ("money",), "health": ("health",)},
    deaths=deaths,
    deaths_label="deaths",
    highlights=highlights,
    report_tables=("info", "players", "rounds", "kills", "chat"),
    feed=EventFeed(
        notable=(
            *(
                "kill",
                "round_live",
                "round_end",
                "bomb_planted",
                "bomb_defused",
                "bomb_exploded",
                "bomb_plant_begin",
            ),
            *("bomb_defuse_begin", "grenade", "smoke", "fire", "flash", "damage", "chat", "round_start"),
        ),
        words={
            "round_live": "round begins",
            "round_end": "round ends",
            "round_start": "freeze time",
            "bomb_planted": "bomb planted",
            "bomb_defused": "bomb defused",
            "bomb_exploded": "bomb exploded",
            "bomb_plant_begin": "plants",
            "bomb_defuse_begin": "defuses",
        },
        jumps=(
            Jump("kill", "x", of_kinds("kill")),
            Jump("round", "v", of_kinds("round_live")),
            Jump("bomb", "o", of_kinds("bomb_planted", "bomb_defused", "bomb_exploded")),
        ),
        hidden_fields=HIDDEN_FIELDS | _OMITTED,
    ),
    map=MapLook(motion=motion),
    wording=Wording(class_prefixes=CLASS_PREFIXES),
)
