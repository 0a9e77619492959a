"""How plots and the viewer show DDNet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from playhead import presentation
from playhead.clock import format_hundredths
from playhead.model import Player, ReplayLike
from playhead.runtime.libraries import pc
from playhead.teehistorian.stuck import stuck

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.events import Event
    from playhead.presentation import EventUnit
    from playhead.presentation.motion import Motion
    from playhead.presentation.picture import Bounds, MapPicture

#: Units of length in a tile.
TILE = 32.0


def no_character(player: Player) -> None:
    """Return None: legends leave out the skin, which says nothing about how somebody plays."""


def tasks(replay: ReplayLike) -> Iterator[presentation.Activity]:
    """Yield runs from start to finish as bands, each with its time."""
    columns = ["start_tick", "tick", "duration_seconds", "players"]
    for row in replay.table("runs", columns=columns).drop_null().to_pylist():
        for player in row["players"]:
            if player is not None:
                yield presentation.Activity(
                    row["start_tick"], row["tick"], player, format_hundredths(row["duration_seconds"]), "runs"
                )


def best(replay: ReplayLike) -> Iterator[presentation.Best]:
    """Yield each time that no run before had."""
    least = math.inf
    for row in replay.table("runs", columns=["tick", "names", "duration_seconds"]).to_pylist():
        if row["duration_seconds"] is not None and row["duration_seconds"] < least:
            least = row["duration_seconds"]
            yield presentation.Best(row["tick"], format_hundredths(least), _together(row["names"]))


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the best finish and the first one, with the verdict of the simulation on the recording's map, and the
    player with most finishes."""
    names = ["tick", "names", "duration_seconds"]
    rows = [row for row in replay.table("runs", columns=names).to_pylist() if row["duration_seconds"] is not None]
    verdicts: dict[int, str] = {}
    if "run_verdicts" in replay.tables:
        for row in replay.table("run_verdicts", columns=["tick", "verified", "reason"]).to_pylist():
            verdicts[row["tick"]] = "verified" if row["verified"] else f"not verified: {row['reason']}"
    best = min(rows, key=lambda row: row["duration_seconds"], default=None)
    for rule, row in (("the best time", best), ("the first finish", rows[0] if rows else None)):
        if row is not None:
            time, verdict = format_hundredths(row["duration_seconds"]), verdicts.get(row["tick"])
            words = ", ".join(filter(None, (_together(row["names"]), time, verdict)))
            yield presentation.Turn(row["tick"], rule, words)
    finishes = Counter(_together(row["names"]) for row in rows)
    for name, times in finishes.most_common(1):
        if times > 1:
            last = [row["tick"] for row in rows if _together(row["names"]) == name][-1]
            yield presentation.Turn(last, "most finishes", f"{name}, {times} of {len(rows)}")


def _together(names: list[str | None]) -> str:
    """Return those who finished together."""
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return " & ".join([*(name or "nameless tee" for name in names[:3]), *more])


def deaths(replay: ReplayLike) -> Iterator[presentation.Death]:
    """Yield places where tees died, on the map of the recording. Without one, those where tees were gone:
    they died or went to the spectators; the file does not distinguish these. Players who left, by table
    ``sessions``, are not counted."""
    if "deaths" in replay.tables:
        for row in replay.table("deaths").to_pylist():
            if row["reason"] not in _NOT_DEAD:
                place = row["x"], row["y"]
                yield presentation.Death(
                    row["tick"], row["seconds"], *place, row["player"], None, row["attacker_player"]
                )
        return
    columns = ["player", "end_tick"]
    dropped = {row["player"]: row["end_tick"] for row in replay.table("sessions", columns=columns).to_pylist()}
    columns = ["tick", "seconds", "player", "x", "y", "event"]
    table = replay.table("positions", columns=columns)
    for row in table.filter(_is_gone(table)).to_pylist():
        ended = dropped.get(row["player"])
        if ended is None or row["tick"] < ended - 1:
            yield presentation.Death(row["tick"], row["seconds"], row["x"], row["y"], row["player"], None)


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return the death of a tee, and who touched it last; without a map, of one that used the command `kill`."""
    if event.kind == "kill_sent":
        return presentation.Kill(None, event.player, "kill")
    if event.kind != "tee_died":
        return None
    facts = event.payload
    return presentation.Kill(facts["attacker_player"], event.player, facts["weapon"] or facts["reason"])


def noise(event: Event, unit: EventUnit | None) -> bool:
    """Return whether another event says the same: a command, or a player who leaves."""
    facts = event.payload
    if event.kind == "tee_died":
        return facts["reason"] == "left" or (facts["reason"] == "kill" and facts["attacker_player"] is None)
    return event.kind == "command_given" and facts.get("command") == "team"


#: Why a tee disappears that did not die.
_NOT_DEAD = ("left", "spectators")

#: Emoticons by number, by DDNet's names in its protocol, and the role of a person that logs in.
_EMOTICONS = (
    *("oop", "exclamation", "hearts", "drop", "dotdot", "music", "sorry", "ghost"),
    *("sushi", "splattee", "deviltee", "zomg", "zzz", "wtf", "eyes", "question"),
)
_LEVELS = {1: "helper", 2: "moderator", 3: "admin"}


def _emoticon(number: int | None) -> str:
    known = number is not None and 0 <= number < len(_EMOTICONS)
    return _EMOTICONS[number] if known and number is not None else f"number {number}"


def _is_gone(table: object) -> object:
    return pc.equal(table["event"].cast("string"), "gone")  # type: ignore[index]


_KEYS = "direction cursor_x cursor_y jump fire hook player_flags wanted_weapon_id"

SERIES = (
    presentation.SeriesSource("positions", {"x": ("x",), "y": ("y",)}, gone=("event", "gone")),
    presentation.SeriesSource("inputs", {name: (name,) for name in _KEYS.split()}),
)


def motion(replay: Any) -> Motion:
    """Return the moving tees of a replay."""
    from playhead.teehistorian.motion import TeehistorianMotion

    return TeehistorianMotion(replay)


def ground(replay: Any) -> MapPicture | None:
    """Return the tiles that tees were in, and walls."""
    from playhead.teehistorian import ground as own

    return own.draw(replay)


def installed(replay: Any) -> MapPicture | None:
    """Return the tiles of the map among the files of an installed DDNet."""
    from playhead.teehistorian import ground as own

    return own.installed(replay)


def read_tiles(path: Path, replay: Any, bounds: Bounds | None) -> MapPicture:
    """Return the tiles of a map file, or of the recording's map in a folder."""
    from playhead.teehistorian import ground as own
    from playhead.teehistorian.physics.game_map import find_map

    return own.read_tiles(find_map(path, replay.header) if path.is_dir() else path, replay, bounds)


#: The title of the game.
TITLE = "DDNet"

PRESENTATION = presentation.Presentation(
    title=lambda info: " ".join(filter(None, (TITLE, info.version))),
    character=no_character,
    time_label="time since the recording began (min:s)",
    series=SERIES,
    deaths=deaths,
    deaths_label="tees gone (died or to the spectators)",
    plots={
        "positions": "tees",
        "activity": "changes of the keys or the aim",
        "kills": "places where tees were gone",
        "input timing": "keys of a tee",
    },
    notes=(presentation.Notes("stuck", "positions", stuck),),
    report_tables=("info", "players", "chat", "finishes", "runs", "sessions"),
    feed=presentation.EventFeed(
        notable=(
            *("run_finished", "team_run_finished", "kill_sent", "tee_died", "player_joined", "player_left"),
            *("team_changed", "players_swapped", "team_saved", "team_loaded", "chat_sent", "vote_called"),
            *("emoticon_sent", "player_logged_in", "command_given"),
        ),
        words={
            "kill_sent": "kill",
            "tee_died": "dies",
            "emoticon_sent": "emoticon",
            "team_run_finished": "team finish",
            "run_finished": "finish",
            "team_saved": "saved",
            "team_loaded": "loaded",
            "player_logged_in": "logs in",
            "command_given": "command",
            "player_joined": "joins",
            "players_swapped": "swap",
        },
        jumps=(
            presentation.Jump("kill", "x", presentation.of_kinds("kill_sent", "tee_died")),
            presentation.Jump("finish", "h", presentation.of_kinds("run_finished", "team_run_finished")),
        ),
        durations={"run_finished": "duration_ticks", "team_run_finished": "duration_ticks"},
        hidden_fields=frozenset(
            {"client", "flags", "player_name", "protocol", "save", "save_uuid", "duration_seconds"}
            | {"target_client", "target_player"}
        ),
        kill=kill,
        noise=noise,
        lines={
            "emoticon_sent": lambda row: (_emoticon(row.get("emoticon")),),
            "player_logged_in": lambda row: (
                f"as {_LEVELS.get(row.get('auth_level') or 0, 'nobody')}",
                row.get("auth_key"),
            ),
            "team_changed": lambda row: (f"team {row['team']}" if row.get("team") else "no team",),
        },
        opens_on=(
            presentation.Opening(
                "the last finish", presentation.of_kinds("run_finished", "team_run_finished"), "last"
            ),
            presentation.Opening(
                "the liveliest moment",
                presentation.of_kinds("kill_sent", "tee_died", "chat_sent", "emoticon_sent"),
            ),
            presentation.Opening("the first player", presentation.of_kinds("player_joined"), "first", before=-2.0),
        ),
    ),
    map=presentation.MapLook(
        motion=motion,
        y_is_down=True,
        length=("tiles", TILE),
        samples="ticks in which a tee moved",
        layers=("names", "trails"),
        legend=(("number", "player"), ("ground", "somebody was here"), ("wall", "wall that stopped somebody")),
        tile=TILE,
        files={".map": read_tiles, presentation.FOLDER: read_tiles},
        ground=ground,
        installed=installed,
    ),
    stage=presentation.Stage(
        facts=("clan",),
        best=best,
        tasks=tasks,
        turns=turns,
        tables=(
            ("run_verdicts", ("tick", "names", "duration_seconds", "simulated_seconds", "verified", "reason")),
            ("runs", ("tick", "kind", "names", "duration_seconds", "practice", "loaded", "swaps")),
        ),
    ),
    wording=presentation.Wording(
        fact_names={"direction": "runs", "duration_seconds": "seconds"},
        fact_values={"direction": {-1: "← left", 0: "none", 1: "right →"}},
        hidden_facts=("client", "tile_x", "tile_y"),
    ),
)
