"""The rounds of one recording on one clock, for the page: where the players stood, and who died."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.corpus.reading.overlay import CLOCK, overlaid
from playhead.runtime.libraries import pa, pc
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

#: Seconds between two places of a player.
STEP = 0.25
#: Limits of an answer: its rounds, the seconds of each, and the places of all players together.
MOST_ROUNDS, MOST_SECONDS, MOST_PLACES = 60, 600.0, 400_000
#: Places that are further away are none.
_FARTHEST = 1e7

_PLACES = ("tick", "seconds", "round_num", "counts", "player", "name", "side", "x", "y", "alive")

_Row = Mapping[str, Any]


def overlay(replay: PresentedReplay) -> dict[str, Any]:
    """Return the rounds that count, as `Replays.overlay` aligns them: their facts, the places of living players as
    columns at every `STEP` from the end of freeze time to the end of the round, and deaths. `left` is the number
    of rounds that are not in the answer because of its limits.

    Raises:
        KeyError: the recording has no rounds, or its players no places.
    """
    known = replay.read_tables([name for name in ("info", "rounds", "kills") if name in replay.tables])
    tables = dict(known.items())
    if "rounds" not in tables:
        raise KeyError("the recording has no rounds")
    rounds = [row for row in tables["rounds"].to_pylist() if row["counts"] and row["round_num"] is not None]
    rounds = [row for row in rounds if row["freeze_end_tick"] is not None]
    deaths = _by_round(_aligned(tables, "kills")) if "kills" in tables else {}
    tables["player_series"] = replay.table("player_series", columns=_PLACES, every=STEP)
    places = _by_round(_aligned(tables, "player_series"))
    rate = replay.info.ticks_per_second or 1.0
    found: list[dict[str, Any]] = []
    held = 0
    for row in rounds[:MOST_ROUNDS]:
        end = MOST_SECONDS if row["end_tick"] is None else (row["end_tick"] - row["freeze_end_tick"]) / rate
        end = min(max(end, 0.0), MOST_SECONDS)
        number = row["round_num"]
        first, tracks = _tracks([each for each in places.get(number, ()) if 0 <= each[CLOCK] <= end])
        held += sum(len(track["x"]) for track in tracks)
        if held > MOST_PLACES:
            break
        names = _team_names(replay, tracks)
        found.append(
            {
                "number": number,
                "tick": row["freeze_end_tick"],
                "seconds": round(end, 3),
                "winner": row["winner_side"],
                "sides": {
                    side: {"team": name, "buy": row.get(f"{side}_buy_type")} for side, name in names.items()
                },
                "first": first,
                "tracks": tracks,
                "deaths": [
                    [round(each[CLOCK], 3), *_place(each, "victim_"), each["victim_side"], each["victim_name"]]
                    for each in deaths.get(number, ())
                    if 0 <= each[CLOCK] <= end
                ],
            }
        )
    return {"map": replay.info.map, "step": STEP, "rounds": found, "left": len(rounds) - len(found)}


def _aligned(tables: Mapping[str, pa.Table], name: str) -> pa.Table:
    """Return the rows of a table within rounds, with their time on the clock of the round."""

    def read(names: Sequence[str], options: Mapping[str, Any]) -> dict[str, pa.Table]:
        return {
            each: tables[each].append_column(REPLAY.name, array_of([""] * tables[each].num_rows, pa.string()))
            for each in names
            if each in tables
        }

    return overlaid(read, name, "round", {}, window=(0.0, 0.0), options={})


def _by_round(rows: pa.Table) -> dict[int, list[_Row]]:
    found: dict[int, list[_Row]] = defaultdict(list)
    for row in rows.filter(pc.is_finite(rows[CLOCK])).to_pylist():
        found[row["round_num"]].append(row)
    return found


def _tracks(rows: Sequence[_Row]) -> tuple[float, list[dict[str, Any]]]:
    """Return the time of the first place of a round, and the places of each player as columns from a step on."""
    first = min((row[CLOCK] for row in rows), default=0.0)
    tracks: dict[tuple[Any, Any], dict[str, Any]] = {}
    for row in rows:
        x, y = _place(row)
        if not row["alive"] or x is None or row["player"] is None:
            continue
        at = round((row[CLOCK] - first) / STEP)
        key = row["player"], row["side"]
        track = tracks.setdefault(key, {**dict(zip(("player", "side"), key, strict=True)), "name": row["name"]})
        start = track.setdefault("start", at)
        for axis, value in (("x", x), ("y", y)):
            values = track.setdefault(axis, [])
            if at - start >= len(values):
                values += [None] * (at - start - len(values))
                values.append(value)
    return round(first, 4), list(tracks.values())


def _place(row: _Row, role: str = "") -> tuple[int | None, int | None]:
    x, y = row[f"{role}x"], row[f"{role}y"]
    if x is None or y is None or not (abs(x) < _FARTHEST and abs(y) < _FARTHEST):
        return None, None
    return round(x), round(y)


def _team_names(replay: PresentedReplay, tracks: Sequence[_Row]) -> dict[str, str]:
    """Return the team of each side in a round: the clan of most of its players, or else its first player."""
    clans = {player.player: player.clan for player in replay.players}
    found: dict[str, str] = {}
    for side in sorted({track["side"] for track in tracks if track["side"] is not None}):
        mates = sorted((track for track in tracks if track["side"] == side), key=lambda track: track["player"])
        known = Counter(clan for clan in (clans.get(track["player"]) for track in mates) if clan)
        found[side] = known.most_common(1)[0][0] if known else f"team of {mates[0]['name']}"
    return found
