"""Random matches on the written one: scores that jump, fall or come late, draws, restarts, backups, two matches,
changed sides, an end anywhere."""

from __future__ import annotations

from random import Random
from typing import Any
from unittest.mock import patch

from tests.samples.source2.cs2_match import demo, plan
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import RoundPlan
from tests.samples.source2.cs2_match.rounds import Director
from tests.samples.source2.cs2_match.state import CT, CsMatch, T

from playhead.limits import Limits
from playhead.source2.container.frames import PACKET, iterate_frames

DRAW = 10
#: What a score does at the end of a round, with its weight.
SCORES = {"one more": 8, "draw": 3, "jump": 2, "fall": 1, "late": 2, "late draw": 1}
REASONS = (plan.T_WIN, plan.CT_WIN, plan.TARGET_SAVED, plan.TARGET_BOMBED, plan.BOMB_DEFUSED)


def odd_plan(random: Random) -> list[RoundPlan]:
    """Return random rounds: number, half, sides and overtime follow no rule."""
    rounds = [RoundPlan("warmup", 0)] if random.random() < 0.7 else []
    if random.random() < 0.4:
        rounds.append(RoundPlan("knife", 0, winner=1, reason=plan.CT_WIN))
    number, half, overtime, first = 0, 1, 0, random.choice((T, CT))
    begins = True
    for _ in range(random.randint(1, 5)):
        number += 1
        chance = random.random()
        if chance < 0.1 and rounds:
            number, half, overtime, begins = 1, 1, 0, True  # a restart, or a backup of the first round
            if random.random() < 0.5:
                rounds.append(RoundPlan("warmup", 0))  # another match
        elif chance < 0.2:
            number = random.randint(1, number)
        elif chance < 0.35:
            first, half, begins = 5 - first, 3 - half, True
        elif chance < 0.45:
            overtime, begins = overtime + 1, True
        reason = random.choice((*REASONS, plan.T_SURRENDER, plan.CT_SURRENDER))
        happens = tuple(each for each in ("fall", "teamkill", "takeover") if random.random() < 0.3)
        winner = random.choice((0, 1))
        rounds.append(RoundPlan("live", number, half, overtime, first, winner, reason, begins, happens=happens))
        begins = False
    if random.random() < 0.1:
        rounds.append(RoundPlan("live", number + 1, half, overtime, first, None, plan.FORFEIT))
    return rounds


class OddDirector(Director):
    """Ends rounds with odd scores; the story has those of the file."""

    random: Random

    def _end(self, reason: int) -> None:
        if self._ended:
            return
        odd = self.random.choices(list(SCORES), list(SCORES.values()))[0]
        before = list(self._wins)
        super()._end(reason)
        if "draw" in odd:
            self._wins = list(before)
            self.match.put_rules(m_eRoundEndReason=DRAW, m_iRoundEndWinnerTeam=self.random.choice((0, 1)))
            self._row |= {"winner_side": None, "reason_id": DRAW}
        elif odd == "jump":
            self._wins[self.random.choice((0, 1))] += self.random.randint(1, 12)
        elif odd == "fall":
            self._wins = [0, 0]
        now, late = list(self._wins), 20 if odd.startswith("late") else 0
        if late:
            self._wins = before
            self.match.later(late, lambda: self._tell_late(now))
        self._tell_scores()
        #: The score, and from which tick on; before, it is that of the round before.
        self._row |= {"scored_tick": self.match.tick + late}
        for name, wins in (("score", now), ("early_score", before if late else now)):
            self._row |= {f"t_{name}": wins[self._squad_of(T)], f"ct_{name}": wins[self._squad_of(CT)]}

    def _tell_late(self, wins: list[int]) -> None:
        self._wins = wins
        self._tell_scores()


def write_odd_match(seed: int) -> WrittenMatch:
    """Return a random match; the same seed gives the same bytes."""
    random = Random(seed)
    rounds = odd_plan(random)
    silent = random.choice((0.0, 0.0, 0.3))
    send = CsMatch.event

    def event(self: CsMatch, name: str, /, **values: Any) -> None:
        if name != "player_death" or random.random() >= silent:
            send(self, name, **values)
        else:
            self.story.setdefault("silent", []).append(self.tick)

    with (
        patch.object(OddDirector, "random", random, create=True),
        patch.object(demo, "Director", OddDirector),
        patch.object(CsMatch, "event", event),
    ):
        return write_cs2_match(0.04 * len(rounds), seed=seed, plan=rounds)


def cut(data: bytes, random: Random) -> tuple[bytes, int]:
    """Return the recording up to a random packet, and its tick."""
    frames = [frame for frame in iterate_frames(memoryview(data), Limits()) if frame.command == PACKET]
    last = random.choice(frames[len(frames) // 8 :])
    return data[: last.payload + last.size], last.tick
