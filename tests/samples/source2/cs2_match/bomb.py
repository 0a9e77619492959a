"""The bomb of the written match: carried, dropped, planted, defused, exploded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.samples.source2.cs2_match.arms import carried, drop, give, pick_up, tell_weapons
from tests.samples.source2.cs2_match.state import CsMatch, Player, T
from tests.samples.source2.cs2_match.world import SITES, pawn_index, place_fields

PLANT_TICKS = 200


def give_bomb(match: CsMatch, player: Player) -> None:
    """Give the bomb at the begin of a round."""
    give(match, player, "c4")
    match.tell("bomb", event="picked_up", player=player.name)


def lose_bomb(match: CsMatch, player: Player) -> None:
    """Drop the bomb of a player who dies or leaves; a living teammate takes it up a second later."""
    bomb = carried(player, "c4")
    if bomb is None:
        return
    drop(match, player, bomb)
    match.put_rules(m_bBombDropped=True)
    match.event("bomb_dropped", **match.of(player.mind), entindex=bomb.index)
    match.tell("bomb", event="dropped", player=player.mind.name)

    def take() -> None:
        mates = match.side(T, alive=True)
        if mates and bomb.index in match.world.objects:
            pick_up(match, mates[0], bomb)
            match.put_rules(m_bBombDropped=False)
            match.event("bomb_pickup", userid_pawn=match.pawn_key(mates[0].mind))
            match.tell("bomb", event="picked_up", player=mates[0].mind.name)

    match.later(64, take)


def begin_planting(match: CsMatch, player: Player, site: int) -> bool:
    """Go to a site and begin; return whether the player can."""
    bomb = carried(player, "c4")
    if bomb is None or not player.alive:
        return False
    match.stand(player, *SITES[site])
    match.halt(player)
    match.put_pawn(player, m_bInBombZone=True, m_nWhichBombZone=1 + site)
    match.world.put(bomb.index, {"m_bStartedArming": True, "m_fArmedTime": match.game_time(PLANT_TICKS)})
    match.event("bomb_beginplant", **match.of(player.mind), site=site)
    match.tell("bomb", event="plant_started", player=player.mind.name)
    return True


def abort_planting(match: CsMatch, player: Player) -> None:
    """Stop planting."""
    bomb = carried(player, "c4")
    if bomb is None:
        return
    match.world.put(bomb.index, {"m_bStartedArming": False})
    match.event("bomb_abortplant", **match.of(player.mind), site=0)
    match.tell("bomb", event="plant_aborted", player=player.mind.name)
    player.steps = 0


def plant(match: CsMatch, player: Player, site: int, ticks: int) -> int | None:
    """Turn the carried bomb into a planted one; return its entity."""
    bomb = carried(player, "c4")
    if bomb is None or not player.alive:
        return None
    player.weapons.remove(bomb)
    match.world.discard(bomb.index)
    tell_weapons(match, player)
    values: dict[str, Any] = {
        **place_fields(player.x, player.y, 64.0),
        "m_nBombSite": site,
        "m_flC4Blow": match.game_time(ticks),
        "m_flTimerLength": ticks / 64,
        "m_hOwnerEntity": match.world.handle_of(pawn_index(player.slot)),
    }
    index = match.world.add("CPlantedC4", values)
    match.put_rules(m_bBombPlanted=True, m_hBombPlanter=match.world.handle_of(pawn_index(player.slot)))
    match.event("bomb_planted", **match.of(player.mind), site=site)
    match.tell("bomb", event="planted", player=player.mind.name, site="AB"[site])
    player.steps = 0
    match.put_pawn(player, m_bInBombZone=False)
    return index


def defuse(
    match: CsMatch, player: Player, bomb: int, site: int, ticks: int, done: Callable[[], None], *, aborts: bool
) -> None:
    """Defuse; if `aborts`, a first attempt fails."""

    def begin() -> None:
        if not player.alive:
            return
        match.stand(player, *SITES[site])
        match.halt(player, ticks + 10)
        match.put_pawn(player, m_bIsDefusing=True)
        values: dict[str, Any] = {
            "m_bBeingDefused": True,
            "m_hBombDefuser": match.world.handle_of(pawn_index(player.slot)),
        }
        values |= {"m_flDefuseCountDown": match.game_time(ticks), "m_flDefuseLength": ticks / 64}
        match.world.put(bomb, values)
        match.event("bomb_begindefuse", **match.of(player.mind), haskit=player.kit)
        match.tell("bomb", event="defuse_started", player=player.mind.name)

    def abort() -> None:
        match.put_pawn(player, m_bIsDefusing=False)
        match.world.put(bomb, {"m_bBeingDefused": False})
        match.event("bomb_abortdefuse", **match.of(player.mind))
        match.tell("bomb", event="defuse_aborted", player=player.mind.name)

    def finish() -> None:
        if not player.alive:
            return
        match.put_pawn(player, m_bIsDefusing=False)
        match.world.put(bomb, {"m_bBeingDefused": False, "m_bBombDefused": True, "m_bBombTicking": False})
        match.event("bomb_defused", **match.of(player.mind), site=site)
        match.tell("bomb", event="defused", player=player.mind.name, site="AB"[site])
        done()

    wait = 0
    if aborts:
        wait = 30
        begin()
        match.later(12, abort)
        match.later(wait, begin)
    else:
        begin()
    match.later(wait + ticks, finish)


def explode(match: CsMatch, bomb: int, site: int, planter: Player) -> None:
    """Let the planted bomb explode; the event names the planter."""
    match.world.put(bomb, {"m_bHasExploded": True, "m_bBombTicking": False})
    match.event("bomb_exploded", **match.of(planter.mind), site=site)
    match.tell("bomb", event="exploded", player=None, site="AB"[site])
