"""The table ``reasons``: shortfalls against the opponents and losses of a player, by stated rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from playhead.clock import format_displayed
from playhead.model import Player, ReplayLike
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.coaching.comparison import (
    Minutes,
    beside,
    known_seconds,
    moment_of,
    opponents_of,
    players_of,
)
from playhead.sc2.coaching.measures import blocked, phase_name
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

REASONS = TableSchema.of(
    "reasons",
    "Why a player lost, or could have: what the opponents had more of from some minute to the end, and what the "
    "player lost, left unused or did not look at, in order of time. Winners have reasons too. The page on "
    "StarCraft II states the rules.",
    *words("player name result tick seconds"),
    word("reason", "The rule that applies."),
    word("text", "A sentence with the numbers."),
    Column("own", "float64", "The player's number."),
    Column("opponent", "float64", "The opponents' number; null where the rule compares nothing."),
)


class Behind(NamedTuple):
    """A rule: of a value of table ``standing``, the opponents have more from some minute to the end.

    Attributes:
        value: name of the value.
        applies: returns whether the opponents have so much more, from both values.
        text: what they have.
    """

    value: str
    applies: Callable[[float, float], bool]
    text: str


#: More for at least so many minutes at the end.
_LASTING = 2
BEHIND = (
    Behind("workers", lambda own, opponent: opponent - own >= 8, "at least 8 more workers"),
    Behind("income", lambda own, opponent: opponent >= 1.25 * own and opponent > 0, "a quarter more income"),
    Behind(
        "army", lambda own, opponent: opponent >= 1.5 * own and opponent - own >= 500, "an army larger by half"
    ),
    Behind("bases", lambda own, opponent: opponent - own >= 1, "more bases"),
    Behind("upgrades", lambda own, opponent: opponent - own >= 2, "at least two more upgrades"),
)
#: A trade of a fight, the most fights that are listed, workers lost in one, seconds without free supply in a
#: phase, the bank with free supply, seconds without a look at an opponent's base, share of time with injects.
BAD_TRADE, FIGHTS, WORKERS, BLOCKED, BANK, UNSEEN, INJECTS = -500, 3, 5, 15.0, 1000, 240.0, 0.4
_NEARLY_FULL = 190

_Found = tuple[float, str, str, float | None, float | None]


def table(replay: ReplayLike, minutes: Minutes) -> pa.Table:
    rate = replay.info.ticks_per_second or 1.0
    kinds = (_behind, _bank, _fights, _bases, _supply, _scouting, _injects)
    rows: list[dict[str, Any]] = []
    for player in players_of(replay):
        if not opponents_of(player, replay):
            continue
        found = [each for kind in kinds for each in kind(player, replay, minutes)]
        for seconds, reason, text, own, opponent in sorted(found, key=lambda each: each[0]):
            about = {"player": player.player, "name": player.name, "result": player.result, "reason": reason}
            when = {"tick": round(seconds * rate), "seconds": seconds}
            rows.append({**about, **when, "text": text, "own": own, "opponent": opponent})
    return REASONS.build_rows(rows)


def _behind(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    held = sorted(beside(player, replay, minutes), key=lambda each: each[0])
    last = int((replay.info.duration_seconds or 0.0) // 60)
    for rule in BEHIND:
        since = None
        for minute, mine, theirs in held:
            if not rule.applies(mine[rule.value], theirs[rule.value]):
                since = None
            elif since is None:
                since = minute, mine[rule.value], theirs[rule.value]
        if since is not None and held[-1][0] - since[0] >= _LASTING:
            minute, own, opponent = since
            until = f"until {held[-1][0]}:00, when statistics end," if held[-1][0] < last else "from then on"
            text = f"{until} the opponents had {rule.text}: {opponent:g} against {own:g} at {minute}:00"
            yield moment_of(minute, replay)["seconds"], f"behind in {rule.value}", text, own, opponent


def _bank(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    mine = minutes.get(player.player or 0, {})
    rich = [at for at, held in mine.items() if held["unspent"] >= BANK and held["supply"] < _NEARLY_FULL]
    if len(rich) >= _LASTING:
        most = max(rich, key=lambda minute: mine[minute]["unspent"])
        held = mine[most]["unspent"]
        text = f"at {len(rich)} minutes more than {BANK} was unspent, most at {most}:00: {held:g}"
        yield 60.0 * rich[0], "unspent resources", text, held, None


def _fights(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    mine = [row for row in replay.table("engagements").to_pylist() if row["player"] == player.player]
    worst = sorted((row for row in mine if row["trade"] <= BAD_TRADE), key=lambda row: row["trade"])[:FIGHTS]
    for row in worst:
        lost = row["minerals_lost"] + row["vespene_lost"]
        killed = row["minerals_killed"] + row["vespene_killed"]
        most = ", ".join(_counted(row["lost_types"], row["lost_counts"])[:3])
        text = f"a fight until {format_displayed(row['end_seconds'])} cost {lost} and killed {killed}: {most}"
        yield row["seconds"], "lost fight", text, killed, lost
    for row in mine:
        if row["workers_lost"] >= WORKERS and row not in worst:
            text = f"{row['workers_lost']} workers died in a fight"
            yield row["seconds"], "workers lost", text, row["workers_lost"], None


def _counted(types: Sequence[str], counts: Sequence[int]) -> list[str]:
    return [f"{count} {display_name(name)}" for name, count in zip(types, counts, strict=True)]


def _bases(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    for row in replay.table("bases").to_pylist():
        if row["player"] == player.player and row["outcome"] == "lost" and row["nth"] is not None:
            text = f"the {display_name(row['unit_type'])} at {row['clock']} o'clock fell"
            yield row["end_seconds"], "base lost", text, row["nth"], None


def _supply(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    length = replay.info.duration_seconds or 0.0
    for phase, blocks in enumerate(blocked(replay, length).get(player.player or 0, ())):
        seconds = sum(lasts for lasts, _ in blocks)
        if seconds >= BLOCKED:
            longest, start = max(blocks)
            text = f"no free supply for {seconds:.0f} s, {phase_name(phase)}"
            if len(blocks) > 1:
                text += f", {longest:.0f} s of them from {format_displayed(start)} on"
            yield start, "no free supply", text, seconds, None


def _scouting(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    length = replay.info.duration_seconds or 0.0
    if known_seconds(replay) < length or "scouting" in replay.info.details.get("not_recorded", ()):
        return  # a look may be in what the file lacks
    seen = [row["seconds"] for row in replay.table("scouting").to_pylist() if row["player"] == player.player]
    if length > UNSEEN and min(seen, default=length) > UNSEEN:
        when = f"before {format_displayed(seen[0])}" if seen else "at all"
        text = f"no screen, unit or order was at a base of an opponent {when}"
        yield UNSEEN, "did not scout", text, min(seen, default=None), None


def _injects(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[_Found]:
    mine = [row for row in replay.table("hatcheries").to_pylist() if row["player"] == player.player]
    able = sum(row["injectable_seconds"] for row in mine)
    share = sum(row["injected_seconds"] for row in mine) / able if able else 1.0
    if share < INJECTS and able >= UNSEEN and known_seconds(replay) >= (replay.info.duration_seconds or 0.0):
        yield (
            mine[0]["seconds"],
            "few injects",
            f"injects were under way {100 * share:.0f} % of the time",
            share,
            None,
        )
