"""The rounds of the written match: who wins each, how, and what happens besides."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.runtime.records import dataclass

#: Numbers of reasons (m_eRoundEndReason).
TARGET_BOMBED, BOMB_DEFUSED, CT_WIN, T_WIN, GAME_START, TARGET_SAVED = 1, 7, 8, 9, 16, 12
T_SURRENDER, CT_SURRENDER = 17, 18
#: No reason of the game: the match ends within the round.
FORFEIT = -1

_T_REASONS = (T_WIN, TARGET_BOMBED)
_CT_REASONS = (CT_WIN, BOMB_DEFUSED, TARGET_SAVED)


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round.

    Attributes:
        phase: ``warmup``, ``knife`` or ``live``.
        number: from 1 on; 0 of warm-up and knife round.
        half: 1 or 2.
        overtime: number of the overtime; 0 before.
        first_squad: number of the team (2 Terrorists, 3 Counter-Terrorists) of the first squad.
        winner: squad 0 or 1; None if nobody wins.
        reason: number of the reason.
        begins_half: it is the first of a half.
        pause: ``timeout`` of the Terrorists or ``technical`` in freeze time, ``engine`` in play.
        undone: a restored backup undoes it.
        restores: a backup is restored at its begin.
        happens: further happenings: ``leave``, ``return``, ``substitute``, ``takeover``, ``teamkill``, ``fall``.
    """

    phase: str
    number: int
    half: int = 1
    overtime: int = 0
    first_squad: int = 2
    winner: int | None = None
    reason: int = 0
    begins_half: bool = False
    pause: str = ""
    undone: bool = False
    restores: bool = False
    happens: tuple[str, ...] = ()


def plan_match(
    half: int,
    overtime: int,
    *,
    overtimes: int = 2,
    surrender: bool = False,
    forfeit: bool = False,
    backup: bool = True,
    quiet: bool = False,
) -> list[RoundPlan]:
    """Return the rounds of a match: warm-up, a knife round, two halves that end in a tie, and overtimes, of which
    the last is decided.

    Args:
        half, overtime: rounds of a half.
        overtimes: number of overtimes.
        surrender: the Terrorists surrender in the last round.
        forfeit: the match ends within the last round, which has no winner.
        quiet: there are no pauses; nobody leaves, comes, takes over a bot, or dies by accident.
        backup: rounds 2 and 3 are undone by a backup restored after them, and played again.
    """
    rounds = [
        RoundPlan("warmup", 0),
        RoundPlan("knife", 0, winner=1, reason=CT_WIN),
        *_regulation(half),
        *_overtimes(2 * half, overtime, overtimes),
    ]
    last = rounds[-1]
    if forfeit:
        rounds[-1] = RoundPlan(
            "live", last.number, last.half, last.overtime, last.first_squad, None, FORFEIT, last.begins_half
        )
    if surrender:
        squad = 0 if last.first_squad == 3 else 1
        rounds[-1] = RoundPlan(
            "live", last.number, last.half, last.overtime, last.first_squad, squad, T_SURRENDER, last.begins_half
        )
    happenings = {1: ("leave", "fall"), 2: ("return",), half: ("takeover", "teamkill"), half + 1: ("substitute",)}
    pauses = {2: "timeout", 3: "technical", 4: "engine"}
    found: list[RoundPlan] = []
    for each in rounds:
        if each.phase != "live":
            found.append(each)
            continue
        values = {name: getattr(each, name) for name in _NAMES}
        found.append(
            RoundPlan(
                **{
                    **values,
                    "pause": "" if quiet else pauses.get(each.number, ""),
                    "happens": () if quiet else happenings.get(each.number, ()),
                    "undone": backup and each.number in (2, 3),
                }
            )
        )
        if backup and each.number == 3:
            found += [
                RoundPlan(**{**{name: getattr(again, name) for name in _NAMES}, "restores": again.number == 2})
                for again in rounds
                if again.phase == "live" and again.number in (2, 3)
            ]
    return found


_NAMES = ("phase", "number", "half", "overtime", "first_squad", "winner", "reason", "begins_half")


def _round(number: int, half: int, overtime: int, first_squad: int, winner: int, begins_half: bool) -> RoundPlan:
    team = first_squad if winner == 0 else 5 - first_squad
    reasons = _T_REASONS if team == 2 else _CT_REASONS
    reason = reasons[number // 2 % len(reasons)]
    return RoundPlan("live", number, half, overtime, first_squad, winner, reason, begins_half)


def _regulation(half: int) -> Iterator[RoundPlan]:
    for i in range(2 * half):
        second = i >= half
        yield _round(i + 1, 1 + second, 0, 3 if second else 2, (i + second) % 2, i % half == 0)


def _overtimes(number: int, half: int, count: int) -> Iterator[RoundPlan]:
    first_squad = 3
    for overtime in range(1, count + 1):
        wins = [0, 0]
        for i in range(2 * half):
            if i == half:
                first_squad = 5 - first_squad
            # All but the last end in a tie.
            winner = i % 2 if overtime < count or i == 1 else 0
            wins[winner] += 1
            number += 1
            yield _round(number, 1 + (i >= half), overtime, first_squad, winner, i % half == 0)
            if max(wins) > half:
                return
