"""`Rounds`: the rounds of a match, from the entity of the game rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playhead.clock import ROUND_TIME
from playhead.cs2.sources.clock import BOMB, FREEZE, LIVE, OVER, WARMUP, RoundClock, Segment
from playhead.cs2.sources.pawn import MY_WEAPONS, PAWN, TEAM, WEAPON_INDEX, weapon_name, weapons_of
from playhead.cs2.sources.words import COUNTER_TERRORISTS, END_REASONS, GAME_START, SIDES, TERRORISTS, word_of
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch

if TYPE_CHECKING:
    from playhead.cs2.sources.people import People
    from playhead.source2.entities.entity import Entity
    from playhead.source2.playback.playback import Playback

_RULES, _TEAM_CLASS, _PLANTED = "CCSGameRulesProxy", "CCSTeam", "CPlantedC4"
_PREFIX = "m_pGameRules."
_NAMES = (
    *("m_bWarmupPeriod", "m_bFreezePeriod", "m_fRoundStartTime", "m_iRoundTime", "m_nRoundStartCount"),
    *("m_nRoundEndCount", "m_eRoundEndReason", "m_iRoundEndWinnerTeam", "m_totalRoundsPlayed", "m_gamePhase"),
    *("m_nOvertimePlaying", "m_bGameRestart", "m_nMatchEndCount", "m_bBombPlanted", "m_bGamePaused"),
    *("m_fWarmupPeriodEnd", "m_iNumConsecutiveCTLoses", "m_iNumConsecutiveTerroristLoses", "m_bTechnicalTimeOut"),
    *("m_bTerroristTimeOutActive", "m_bCTTimeOutActive", "m_bMatchWaitingForResume", "m_nTotalPausedTicks"),
)
RULES_FIELDS = tuple(_PREFIX + name for name in _NAMES)
_SCORE, _SITE, _BLOW = "m_iScore", "m_nBombSite", "m_flC4Blow"
_EQUIPMENT, _MONEY = "m_unCurrentEquipmentValue", "m_pInGameMoneyServices.m_iAccount"

ROUND_FIELDS = {
    _RULES: RULES_FIELDS,
    _TEAM_CLASS: (TEAM, _SCORE),
    _PLANTED: (_SITE, _BLOW),
    PAWN: (_EQUIPMENT, MY_WEAPONS, f"{MY_WEAPONS}.????"),
    "CCSPlayerController": (_MONEY,),
    "C*": (WEAPON_INDEX,),
}

# m_gamePhase.
_FIRST_HALF, _SECOND_HALF = 2, 3
_HALVES = {_FIRST_HALF: 1, _SECOND_HALF: 2}
_PLAYING = (TERRORISTS, COUNTER_TERRORISTS)
#: m_nRoundStartCount is a byte: 0 follows.
_HIGHEST_COUNT = 255
_NOT_A_GUN = frozenset(("knife", "knife_t", "c4", None))

#: Equipment of a team at the end of freeze time, in money: below the first it is eco, from the second on full.
ECO_BELOW, FULL_FROM = 5000, 20000
#: Money for a lost round: base, step for each loss in a row, most steps.
_LOSS_BASE, _LOSS_STEP, _LOSS_MOST = 1400, 500, 4


#: Values that are not known when a round starts.
_LATER = (
    *("freeze_end_tick", "end_tick", "official_end_tick", "winner_side", "reason", "reason_id"),
    *("bomb_planted_tick", "bomb_site"),
    *(f"{side}_{name}" for side in ("t", "ct") for name in ("score", "equipment_value", "money", "buy_type")),
)
#: Values of a round that are no columns.
_NO_COLUMNS = frozenset(("undone", "match_ended", "begun_live"))


class Round:
    """One round: the values of its row in table ``rounds`` and more, the first tick of its rows, the side of each
    player at the end of freeze time."""

    def __init__(self, begin: int, values: dict[str, Any]) -> None:
        self.begin = begin
        self.values = values
        self.sides: dict[int, str] = {}

    def row(self) -> dict[str, Any]:
        """Return the row in table ``rounds``."""
        return {name: value for name, value in self.values.items() if name not in _NO_COLUMNS}


class Rounds:
    """Follows the game rules.

    A round starts when m_nRoundStartCount changes and ends when m_nRoundEndCount changes. Reason 16 (game start)
    ends no round: a restart breaks off the round. If m_totalRoundsPlayed goes back inside a match,
    the rounds after it do not count: a restart or a restored backup undid them.

    Args:
        playback: plays the recording.
        people: the participants.
        ticks_per_second: rate of demo ticks.
        first_server_tick: server tick of demo tick 0: times of entities count from server tick 0.

    Attributes:
        rounds: in order.
        segments: the phases of the game's clock.
    """

    def __init__(
        self, playback: Playback, people: People, ticks_per_second: float | None, first_server_tick: int | None
    ) -> None:
        self._playback = playback
        self._entities = playback.entities
        self._people = people
        self._rate = ticks_per_second
        self._first_server_tick = first_server_tick
        self.rounds: list[Round] = []
        self.segments: list[Segment] = []
        self._changes: list[Callable[[int, dict[str, Any], dict[str, Any]], None]] = []
        self._open: Round | None = None
        self._before: dict[str, Any] = {}
        self._match = 1
        self._scores: dict[int, int | None] = dict.fromkeys(_PLAYING)
        self._changed_tick: int | None = None
        #: The round that ended last, until its score is known, and the sum of scores before its end.
        self._unscored: Round | None = None
        self._sum_before: int | None = None
        self._blow: float | None = None
        playback.entities.on_entity(FieldWatch(RULES_FIELDS, self._on_rules), _RULES)
        playback.entities.on_entity(FieldWatch((TEAM, _SCORE), self._on_team), _TEAM_CLASS)
        playback.entities.on_entity(FieldWatch((_SITE, _BLOW), self._on_planted), _PLANTED)

    def on_change(self, handler: Callable[[int, dict[str, Any], dict[str, Any]], None]) -> None:
        """Call `handler` with the tick and the values of the rules before and after each change."""
        self._playback.guard.own(handler)
        self._changes.append(handler)

    # -- entities ---------------------------------------------------------------------------------------

    def _on_rules(self, rules: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        self._settle()
        now = {name: rules.get(_PREFIX + name) for name in _NAMES}
        before, tick = self._before, self._playback.tick
        self._before = now

        def changed(name: str) -> bool:
            return bool(before.get(name) != now[name])

        if changed("m_nMatchEndCount") and before and (now["m_nMatchEndCount"] or 0) > 0:
            self._match_ended = True
            if self.rounds:
                self.rounds[-1].values["match_ended"] = True
        if changed("m_nRoundEndCount") and before:
            self._end(tick, now)
        if not before or changed("m_nRoundStartCount"):
            wrapped = before.get("m_nRoundStartCount") == _HIGHEST_COUNT
            self._start(tick, now, seen=bool(before), begun=wrapped or bool(now["m_nRoundStartCount"]))
        current = self._open
        if current is not None:
            values = current.values
            if values["phase"] != "warmup" and now["m_bWarmupPeriod"]:
                values["phase"], values["counts"], values["round_num"] = "warmup", False, None
            if now["m_bFreezePeriod"] is False and values["freeze_end_tick"] is None and not values["begun_live"]:
                values["freeze_end_tick"] = tick
                self._freeze_ended(current)
            if now["m_bBombPlanted"] and not before.get("m_bBombPlanted") and before:
                values["bomb_planted_tick"] = tick
        self._show(tick, now)
        self._playback.guard.call(self._changes, tick, before, now)

    _match_ended = False

    def _on_team(self, team: Entity, _op: EntityOp) -> None:
        self._settle()
        number = team.get_int(TEAM)
        if number in _PLAYING:
            self._scores[number] = team.get_int(_SCORE)

    def _sum(self) -> int | None:
        """Return the sum of both scores; None if one is unknown."""
        known = [score for score in self._scores.values() if score is not None]
        return sum(known) if len(known) == len(_PLAYING) else None

    def _settle(self, *, ends: bool = False) -> None:
        """Before the first change of a tick, and when the playback `ends`, set the score of the round that ended
        last: that after the tick of its end, or of a later one in which the sum rises.

        Sides change, and backups are restored, between the end and the next start: neither makes the sum rise.
        """
        tick, self._changed_tick = self._changed_tick, self._playback.tick
        if tick == self._changed_tick and not ends:
            return
        last, total = self._unscored, self._sum()
        if last is not None:
            rises = total is not None and (self._sum_before is None or total > self._sum_before)
            if rises or last.values["end_tick"] == tick:
                last.values["t_score"] = self._scores[TERRORISTS]
                last.values["ct_score"] = self._scores[COUNTER_TERRORISTS]
            if last is self._open and not rises:
                return
            self._unscored = None
        self._sum_before = total

    def _on_planted(self, bomb: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._blow = None
            return
        self._blow = bomb.get_float(_BLOW)
        site = bomb.get_int(_SITE)
        if self._open is not None and op & EntityOp.CREATED:
            if self._open.values["bomb_planted_tick"] is None:
                self._open.values["bomb_planted_tick"] = self._playback.tick
            self._open.values["bomb_site"] = {0: "A", 1: "B"}.get(-1 if site is None else site)
        self._show(self._playback.tick, self._before)

    # -- rounds -----------------------------------------------------------------------------------------

    def _start(self, tick: int, now: dict[str, Any], *, seen: bool, begun: bool) -> None:
        last = self._open
        if last is not None and last.values["end_tick"] is None:
            last.values["counts"] = False  # a restart broke it off
        if self.rounds and self.rounds[-1].values["official_end_tick"] is None:
            self.rounds[-1].values["official_end_tick"] = tick
        if not begun:
            self._open = None
            return
        played = now["m_totalRoundsPlayed"]
        warmup = bool(now["m_bWarmupPeriod"])
        if self._match_ended and played == 0:
            self._match += 1
            self._match_ended = False
        for each in self.rounds:
            values = each.values
            number = values["round_num"]
            known = number is not None and played is not None
            if values["match_num"] == self._match and values["counts"] and known and number > played:
                values["counts"], values["undone"] = False, True
        values = {
            **dict.fromkeys(_LATER),
            "tick": tick,
            "round_num": None if warmup or played is None else played + 1,
            "match_num": self._match,
            "phase": "warmup" if warmup else "live",
            "counts": not warmup,
            "start_tick": tick if seen else None,
            "half": _HALVES.get(now["m_gamePhase"]),
            "overtime": now["m_nOvertimePlaying"],
            "undone": False,
            "match_ended": False,
            "begun_live": not seen and now["m_bFreezePeriod"] is False,
        }
        for side, losses in (("t", "m_iNumConsecutiveTerroristLoses"), ("ct", "m_iNumConsecutiveCTLoses")):
            in_row = now[losses]
            known = isinstance(in_row, int)
            values[f"{side}_loss_bonus"] = _LOSS_BASE + _LOSS_STEP * min(in_row, _LOSS_MOST) if known else None
        self._open = Round(tick, values)
        self.rounds.append(self._open)

    def _freeze_ended(self, current: Round) -> None:
        """Fill the columns of the moment at which freeze time ends."""
        equipment: dict[int, list[int]] = {team: [] for team in _PLAYING}
        money: dict[int, list[int]] = {team: [] for team in _PLAYING}
        carried: set[str | None] = set()
        for person in self._people.playing:
            pawn = self._people.pawn(person)
            value = None if pawn is None else pawn.get_int(_EQUIPMENT)
            account = None if person.controller is None else person.controller.get_int(_MONEY)
            if value is not None:
                equipment[person.team].append(value)
            if account is not None:
                money[person.team].append(account)
            if pawn is not None:
                carried.update(map(weapon_name, weapons_of(self._entities, pawn)))
        current.sides = self._sides()
        values = current.values
        number = values["round_num"]
        pistol = number == 1 or any(
            # The first round of a half: the round before it was of another half.
            number is not None
            and each.values["round_num"] == number - 1
            and each.values["half"] not in (None, values["half"])
            and values["half"] is not None
            and not values["overtime"]
            for each in self.rounds[-2:-1]
        )
        if values["phase"] == "live" and carried and carried <= _NOT_A_GUN:
            values["phase"], values["counts"], values["round_num"] = "knife", False, None
            for place, segment in enumerate(self.segments):
                if segment.tick >= current.begin:
                    self.segments[place] = segment._replace(round_num=0)
        for team, side in SIDES.items():
            worth = sum(equipment[team]) if equipment[team] else None
            values[f"{side}_equipment_value"] = worth
            values[f"{side}_money"] = sum(money[team]) if money[team] else None
            values[f"{side}_buy_type"] = None if worth is None else buy_type(worth, pistol=pistol)

    def _sides(self) -> dict[int, str]:
        return {person.player: SIDES[person.team] for person in self._people.playing}

    def _end(self, tick: int, now: dict[str, Any]) -> None:
        current, reason = self._open, now["m_eRoundEndReason"]
        if current is None or current.values["end_tick"] is not None:
            return
        values = current.values
        current.sides = current.sides or self._sides()  # the recording may begin within the round
        values["end_tick"] = tick
        values["reason"], values["reason_id"] = word_of(END_REASONS, reason, "reason"), reason
        if reason == GAME_START:
            values["counts"] = False
            return
        values["winner_side"] = SIDES.get(now["m_iRoundEndWinnerTeam"])
        self._unscored = current

    # -- the clock --------------------------------------------------------------------------------------

    def _tick_of(self, game_time: object) -> float | None:
        if not isinstance(game_time, float) or self._rate is None or self._first_server_tick is None:
            return None
        # The game's time stops while the engine is paused.
        paused = self._before.get("m_nTotalPausedTicks")
        ends = game_time * self._rate - self._first_server_tick + (paused if isinstance(paused, int) else 0)
        return ends if abs(ends) < 1e9 else None

    def _show(self, tick: int, now: dict[str, Any]) -> None:
        """Add the phase that the clock shows from this tick on."""
        current = self._open
        if current is None:
            return
        values, begins = current.values, self._tick_of(now.get("m_fRoundStartTime"))
        number = values["round_num"] or 0
        ends: float | None = None
        if values["end_tick"] is not None:
            phase = WARMUP if values["phase"] == "warmup" else OVER
        elif values["phase"] == "warmup":
            phase, ends = WARMUP, self._tick_of(now.get("m_fWarmupPeriodEnd"))
        elif now.get("m_bBombPlanted") and self._blow is not None:
            phase, ends = BOMB, self._tick_of(self._blow)
        elif now.get("m_bFreezePeriod"):
            phase, ends = FREEZE, begins
        else:
            phase, length = LIVE, now.get("m_iRoundTime")
            if begins is not None and isinstance(length, int) and self._rate is not None:
                ends = begins + length * self._rate
        held: float | None = None
        last = self.segments[-1] if self.segments else None
        if ends is not None and self._rate is not None and pause_of(now) is not None:
            same = last is not None and last[1:3] == (number, phase) and last.held is not None
            held = last.held if same and last is not None else max(0.0, (ends - tick) / self._rate)
        shown = Segment(tick, number, phase, ends, held)
        if last is not None and (last[1:] == shown[1:] or (held is not None and last.held == held)):
            return
        if self.segments and self.segments[-1].tick == tick:
            self.segments.pop()
        self.segments.append(shown)

    def clock(self) -> RoundClock | None:
        """Return the clock; None if the tick rate is unknown."""
        if self._rate is None:
            return None
        return RoundClock(self._rate, stretches=(), label=ROUND_TIME, segments=tuple(self.segments))

    def finish(self, undone_from: int | None = None) -> None:
        """Set the score of the last round; let the rounds not count that a later recording, which begins in round
        `undone_from`, undoes."""
        self._settle(ends=True)
        for each in self.rounds:
            values, same = each.values, each.values["match_num"] == self._match and not self._match_ended
            number = values["round_num"]
            undone = undone_from is not None and number is not None and number >= undone_from
            if same and values["counts"] and undone:
                values["counts"], values["undone"] = False, True

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)


#: Pauses in freeze time: word, flag of the game rules.
_FREEZES = (
    ("technical", "m_bTechnicalTimeOut"),
    ("timeout_t", "m_bTerroristTimeOutActive"),
    ("timeout_ct", "m_bCTTimeOutActive"),
    ("match", "m_bMatchWaitingForResume"),
)


def pause_of(rules: dict[str, Any]) -> str | None:
    """Return the word of the pause that stops the clock; None outside pauses.

    A pause of the match takes effect in freeze time, one of the engine at once.
    """
    if rules.get("m_bGamePaused"):
        return "engine"
    if not rules.get("m_bFreezePeriod"):
        return None
    return next((word for word, flag in _FREEZES if rules.get(flag)), None)


def buy_type(equipment: int, *, pistol: bool) -> str:
    """Return the word for a team's equipment: ``pistol``, ``eco``, ``force`` or ``full``."""
    if pistol:
        return "pistol"
    return "eco" if equipment < ECO_BELOW else "full" if equipment >= FULL_FROM else "force"
