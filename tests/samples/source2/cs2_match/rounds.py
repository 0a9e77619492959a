"""`Director`: plays the rounds of a plan, each from its begin to the begin of the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.samples.source2.cs2_match import arms, sight
from tests.samples.source2.cs2_match import bomb as bombs
from tests.samples.source2.cs2_match.people import SPAWNS, enter, give_back, leave, new_player
from tests.samples.source2.cs2_match.plan import (
    BOMB_DEFUSED,
    CT_SURRENDER,
    CT_WIN,
    GAME_START,
    T_SURRENDER,
    T_WIN,
    TARGET_BOMBED,
    TARGET_SAVED,
    RoundPlan,
)
from tests.samples.source2.cs2_match.play import Pace, Play
from tests.samples.source2.cs2_match.said import rank, show_items
from tests.samples.source2.cs2_match.state import (
    CT,
    FIRST_ACCOUNT,
    LEAVER_SLOT,
    STANDS,
    STATS,
    SUBSTITUTE,
    SUBSTITUTE_SLOT,
    TICKS_PER_SECOND,
    CsMatch,
    Player,
    T,
)
from tests.samples.source2.cs2_match.world import TEAMS

_TITLES = {2: "TERRORIST", 3: "CT"}
_CLAN_NAMES = ("Anvil", "Hammer")
_REWARD = {T_WIN: 3250, CT_WIN: 3250, TARGET_BOMBED: 3500, BOMB_DEFUSED: 3500, TARGET_SAVED: 3250}
_OVERTIME_MONEY, _START_MONEY = 12500, 800
_MESSAGES = {
    T_WIN: "#SFUI_Notice_Terrorists_Win",
    CT_WIN: "#SFUI_Notice_CTs_Win",
    TARGET_BOMBED: "#SFUI_Notice_Target_Bombed",
    BOMB_DEFUSED: "#SFUI_Notice_Bomb_Defused",
    TARGET_SAVED: "#SFUI_Notice_Target_Saved",
    T_SURRENDER: "#SFUI_Notice_Terrorists_Surrender",
    CT_SURRENDER: "#SFUI_Notice_CTs_Surrender",
}


class Director(Play):
    """Plays the rounds of a match.

    Args:
        match: the match at its begin, with the players.
        plan: its rounds.
        pace: their lengths.
    """

    def __init__(self, match: CsMatch, plan: Sequence[RoundPlan], pace: Pace) -> None:
        super().__init__(match, plan[0], pace)
        self.plan = plan
        self._wins = [0, 0]
        self._losses = [1, 1]
        self._saved: dict[int, Any] = {}
        self._round_ends = self._matches = 0
        self._starts = 0
        match.put_rules(
            m_bWarmupPeriod=True,
            m_fWarmupPeriodStart=match.game_time(),
            m_fWarmupPeriodEnd=match.game_time(pace.live),
            m_bFreezePeriod=False,
            m_bGamePaused=False,
            m_nTotalPausedTicks=0,
            m_nRoundStartCount=0,
            m_nRoundEndCount=0,
            m_nMatchEndCount=0,
            m_eRoundEndReason=0,
            m_iRoundEndWinnerTeam=0,
            m_totalRoundsPlayed=0,
            m_nRoundsPlayedThisPhase=0,
            m_nOvertimePlaying=0,
            m_gamePhase=0,
            m_iRoundTime=pace.live // TICKS_PER_SECOND,
            m_iFreezeTime=pace.freeze // TICKS_PER_SECOND,
            m_fRoundStartTime=match.game_time(),
            m_bBombPlanted=False,
            m_bBombDropped=False,
            m_bHasMatchStarted=False,
            m_bGameRestart=False,
            m_bMapHasBombTarget=True,
            m_bTechnicalTimeOut=False,
            m_bMatchWaitingForResume=False,
            m_bTerroristTimeOutActive=False,
            m_bCTTimeOutActive=False,
            m_nTerroristTimeOuts=4,
            m_nCTTimeOuts=4,
            m_iNumConsecutiveCTLoses=1,
            m_iNumConsecutiveTerroristLoses=1,
            m_iRoundStartRoundNumber=0,
            m_bRoundInProgress=False,
        )
        match.later(1, self._next)

    # -- begin ------------------------------------------------------------------------------------------

    def _next(self) -> None:
        self._number += 1
        if self._number == len(self.plan):
            self.match.over = True
            return
        before, self.round = self.round, self.plan[self._number]
        if self._row:
            self._row["official_end_tick"] = self.match.tick
        if self._number and before.phase != "live" and self.round.phase == "live":
            self._restart()
        if before.phase == "live" and self.round.phase == "warmup":
            self._begin_half(before)
            self.match.put_rules(m_gamePhase=0)
            self._wins, self._saved = [0, 0], {}
        if self.round.phase == "live":
            if self.round.restores:
                self._restore()
            elif self.round.begins_half:
                self._begin_half(before)
            self._people()
            self._save()
        self._begin()

    def _restart(self) -> None:
        """Restart the game: what was played before the first round is forgotten."""
        match = self.match
        self._wins, self._losses = [0, 0], [1, 1]
        self._round_ends += 1
        match.put_rules(m_nRoundEndCount=self._round_ends, m_eRoundEndReason=GAME_START, m_iRoundEndWinnerTeam=1)
        match.put_rules(m_bHasMatchStarted=True, m_totalRoundsPlayed=0, m_fMatchStartTime=match.game_time())
        match.event("begin_new_match")
        match.event("round_announce_match_start")
        for player in match.players.values():
            arms.strip(match, player)
            self._fresh(player, _START_MONEY)
            player.total = {}
            match.put_controller(player, **{f"m_pActionTrackingServices__{name}": 0 for name in STATS})
            self._forget_counts(player, 0, 1)

    def _forget_counts(self, player: Player, first: int, end: int) -> None:
        """Take the counts of these rounds back to 0."""
        prefix = "m_pActionTrackingServices__m_perRoundStats__"
        for number in range(first, end):
            self.match.put_controller(player, **{f"{prefix}{number:04}__{name}": 0 for name in STATS})

    def _fresh(self, player: Player, money: int) -> None:
        player.money, player.armor, player.helmet, player.kit, player.alive = money, 0, False, False, False

    def _begin_half(self, before: RoundPlan) -> None:
        """Change sides, if the half does; take money and weapons."""
        match, plan = self.match, self.round
        money = _OVERTIME_MONEY if plan.overtime else _START_MONEY
        self._losses = [1, 1]
        for player in match.players.values():
            arms.strip(match, player)
            self._fresh(player, money)
        if before.phase == "live" and before.first_squad != plan.first_squad:
            for player in match.players.values():
                player.team = 5 - player.team
                match.put_controller(player, m_iTeamNum=player.team)
                arms.dress(match, player)
                match.put_pawn(player, m_iTeamNum=player.team)
        match.put_rules(m_nOvertimePlaying=plan.overtime, m_gamePhase=2 if plan.half == 1 else 3)

    def _people(self) -> None:
        match = self.match
        for what in self.round.happens:
            if what == "return":
                player = new_player(LEAVER_SLOT)
                enter(match, player, self._team(player.squad))
            elif what == "substitute":
                leave(match, SUBSTITUTE_SLOT)
                player = Player(SUBSTITUTE_SLOT, SUBSTITUTE, FIRST_ACCOUNT + 50, SUBSTITUTE_SLOT // 5)
                enter(match, player, self._team(player.squad))

    def _save(self) -> None:
        state = {
            slot: (each.money, [weapon.word for weapon in each.weapons], dict(each.total))
            for slot, each in self.match.players.items()
        }
        self._saved[self.round.number] = (list(self._wins), list(self._losses), state)

    def _restore(self) -> None:
        """Restore the backup of the begin of this round."""
        match = self.match
        wins, losses, state = self._saved[self.round.number]
        self._wins, self._losses = list(wins), list(losses)
        for slot, player in match.players.items():
            arms.strip(match, player)
            self._fresh(player, _START_MONEY)
            self._forget_counts(player, self.round.number - 1, match.rules["m_totalRoundsPlayed"])
            if slot in state:
                player.money, words, total = state[slot]
                player.total = dict(total)
                for word in words:
                    arms.give(match, player, word)
        match.tell("pauses", kind="restore", round=self.round.number)

    def _begin(self) -> None:
        match, plan = self.match, self.round
        match.forget()
        self._starts += 1
        self._ended = False
        match.playing = plan.phase == "warmup"
        played = max(0, plan.number - 1)
        freeze = 0 if plan.phase == "warmup" else self.pace.freeze
        for player in match.players.values():
            give_back(match, player)
            self._spawn(player)
        self._clear()
        if plan.phase != "warmup":
            carriers = match.side(T)
            bombs.give_bomb(match, carriers[plan.number % len(carriers)])
        match.put_rules(
            m_nRoundStartCount=self._starts % 256,
            m_iRoundStartRoundNumber=played,
            m_totalRoundsPlayed=played,
            m_bWarmupPeriod=plan.phase == "warmup",
            m_bFreezePeriod=freeze > 0,
            m_fRoundStartTime=match.game_time(freeze),
            m_bBombPlanted=False,
            m_bBombDropped=False,
            m_bRoundInProgress=False,
            m_iRoundWinStatus=0,
            m_eRoundWinReason=0,
            m_iNumConsecutiveTerroristLoses=self._losses[0 if plan.first_squad == T else 1],
            m_iNumConsecutiveCTLoses=self._losses[0 if plan.first_squad == CT else 1],
            **({"m_gamePhase": 2} if plan.phase == "knife" else {}),
        )
        self._tell_scores()
        self._row = match.tell(
            "rounds",
            round_num=plan.number or None,
            phase=plan.phase,
            counts=plan.phase == "live" and not plan.undone,
            half=None if plan.phase == "warmup" else plan.half,
            overtime=plan.overtime,
            start_tick=match.tick,
            freeze_end_tick=None,
            end_tick=None,
            official_end_tick=None,
            winner_side=None,
            reason_id=None,
            bomb_planted_tick=None,
            bomb_site=None,
            squads={"t": _CLAN_NAMES[0 if plan.first_squad == T else 1], "ct": _CLAN_NAMES[plan.first_squad == T]},
        )
        if plan.phase == "warmup":
            self._row["freeze_end_tick"] = match.tick
            self._warm_up()
            return
        for i, player in enumerate(list(match.players.values())):
            if plan.phase == "live":
                match.later(10 + 4 * i, lambda player=player: self._shop(player))  # type: ignore[misc]
        wait = 0
        if plan.pause in ("timeout", "technical"):
            wait = self._pause(plan.pause, freeze // 2)
        match.later(freeze + wait, self._live)

    def _spawn(self, player: Player) -> None:
        match = self.match
        knives = self.round.phase == "knife"
        if not player.alive or knives:
            arms.strip(match, player)
            player.armor, player.helmet, player.kit = 0, False, False
        player.alive, player.health, player.active = True, 100, None
        player.refundable, player.spent, player.row, player.born = [], 0, {}, match.tick
        bomb = arms.carried(player, "c4")
        if bomb is not None:
            player.weapons.remove(bomb)
            match.world.discard(bomb.index)
        for weapon in player.weapons:
            weapon.clip = weapon.full
            match.world.put(weapon.index, {"m_iClip1": weapon.clip, "m_bInReload": False})
        words = {weapon.word for weapon in player.weapons}
        knife = "knife_t" if player.team == T else "knife"
        if not words & {"knife", "knife_t"}:
            arms.give(match, player, knife)
        if not knives and len(player.weapons) == 1:
            arms.give(match, player, "glock" if player.team == T else "usp_silencer")
        player.in_air = False
        sight.forget(match, player, at_once=True)
        x, y = SPAWNS[player.team]
        match.stand(player, x, y + 40.0 * (player.slot % 5))
        match.put_pawn(
            player,
            m_iHealth=100,
            m_lifeState=0,
            m_ArmorValue=player.armor,
            m_iTeamNum=player.team,
            m_pItemServices__m_bHasHelmet=player.helmet,
            m_pItemServices__m_bHasDefuser=player.kit,
            m_unRoundStartEquipmentValue=arms.worth(player),
            m_unCurrentEquipmentValue=arms.worth(player),
            m_bInBuyZone=True,
            m_flFlashDuration=0.0,
            m_fFlags=STANDS,
            m_hGroundEntity=match.world.handle_of(0),
            m_bIsDefusing=False,
            m_bInBombZone=False,
        )
        arms.tell_refundable(match, player)
        match.put_controller(
            player,
            m_bPawnIsAlive=True,
            m_iPawnHealth=100,
            m_iPawnArmor=player.armor,
            m_iTeamNum=player.team,
            m_pInGameMoneyServices__m_iAccount=player.money,
            m_pInGameMoneyServices__m_iStartAccount=player.money,
            m_pInGameMoneyServices__m_iCashSpentThisRound=0,
        )
        match.event("player_spawn", **match.of(player))

    def _clear(self) -> None:
        """Remove what lies, flies or burns from the round before."""
        match = self.match
        kept = {weapon.index for player in match.players.values() for weapon in player.weapons}
        for index in [index for index in match.world.objects if 400 <= index <= 900 and index not in kept]:
            match.world.discard(index)

    def _shop(self, player: Player) -> None:
        if self.match.players.get(player.slot) is player:
            arms.shop(self.match, player, pistol=self.round.begins_half and not self.round.overtime)

    def _pause(self, kind: str, after: int) -> int:
        """Pause in freeze time; return its length."""
        match, length = self.match, 10 * TICKS_PER_SECOND
        on = (
            {"m_bTerroristTimeOutActive": True, "m_nTerroristTimeOuts": 3, "m_flTerroristTimeOutRemaining": 10.0}
            if kind == "timeout"
            else {"m_bTechnicalTimeOut": True, "m_bMatchWaitingForResume": True}
        )

        def begin() -> None:
            match.put_rules(**on)
            match.tell("pauses", kind=kind, end_tick=match.tick + length)

        def end() -> None:
            off = {name: False for name, value in on.items() if value is True}
            start = self.match.rules["m_fRoundStartTime"] + length / TICKS_PER_SECOND
            match.put_rules(**off, m_fRoundStartTime=start)

        match.later(after, begin)
        match.later(after + length, end)
        return length

    # -- end --------------------------------------------------------------------------------------------

    def _end(self, reason: int) -> None:
        match, plan = self.match, self.round
        if self._ended:
            return
        self._ended = True
        squad = plan.winner or 0
        winner = self._team(squad)
        self._wins[squad] += 1
        self._round_ends += 1
        match.put_rules(
            m_nRoundEndCount=self._round_ends % 256,
            m_eRoundEndReason=reason,
            m_iRoundEndWinnerTeam=winner,
            m_totalRoundsPlayed=plan.number or 1,
            m_bRoundInProgress=False,
            m_iRoundWinStatus=winner,
            m_eRoundWinReason=reason,
        )
        if self._is_last():
            self._end_match()
        self._row |= {"end_tick": match.tick, "winner_side": "t" if winner == T else "ct", "reason_id": reason}
        self._tell_scores()
        self._row |= {"t_score": self._wins[self._squad_of(T)], "ct_score": self._wins[self._squad_of(CT)]}
        for player in match.players.values():
            won = player.squad == squad
            bonus = 1400 + 500 * min(4, self._losses[player.squad])
            earned = _REWARD.get(reason, 3250) if won else bonus
            if plan.phase == "live":
                earned = min(earned, arms.MOST_MONEY - player.money)
                arms.pay(match, player, earned)
                match.count(player, "m_iCashEarned", earned)
                match.count(player, "m_iLiveTime", (match.tick - player.born) // TICKS_PER_SECOND)
                match.count(player, "m_iEquipmentValue", arms.worth(player))
        if plan.phase == "live":
            self._losses[squad] = max(0, self._losses[squad] - 1)
            self._losses[1 - squad] = min(4, self._losses[1 - squad] + 1)
        match.later(self.pace.after, self._next)

    def _is_last(self) -> bool:
        """Return whether the present round is the last one of its match."""
        after = self.plan[self._number + 1 : self._number + 2]
        return not after or (after[0].phase == "warmup" and self.round.phase == "live")

    def _end_match(self) -> None:
        self._matches += 1
        self.match.put_rules(m_gamePhase=5, m_nMatchEndCount=self._matches)
        self.match.event("cs_win_panel_match")
        rank(self.match, list(self.match.players.values()))
        show_items(self.match, list(self.match.players.values()))

    def _forfeit(self) -> None:
        self._ended = True
        self._end_match()
        self.match.later(self.pace.after, self._next)

    def _squad_of(self, team: int) -> int:
        return 0 if self.round.first_squad == team else 1

    def _tell_scores(self) -> None:
        for team in (T, CT):
            squad = self._squad_of(team)
            values = {"m_iScore": self._wins[squad], "m_szClanTeamname": _CLAN_NAMES[squad]}
            self.match.world.put(TEAMS[team], values)
