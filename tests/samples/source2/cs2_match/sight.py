"""Who sees whom in the written match: the masks of slots in the pawns."""

from __future__ import annotations

from tests.samples.source2.cs2_match.state import CsMatch, Player

_LINGERS = 33


def see(match: CsMatch, seer: Player, seen: Player) -> None:
    """Let a body see another."""
    known = match.sights.setdefault(seen.slot, {})
    slot = seer.mind.slot
    if slot not in known and seer.alive and seen.alive:
        known[slot] = match.tell("spotted", player=seer.mind.name, target=seen.mind.name, end_tick=None)
        _put(match, seen)


def forget(match: CsMatch, player: Player, *, at_once: bool = False) -> None:
    """Let nobody see a player and it see nobody: the server notices it later, but at a spawn."""
    if not at_once:
        match.later(_LINGERS, lambda: forget(match, player, at_once=True))
        return
    for seen in list(match.players.values()):
        known = match.sights.get(seen.slot, {})
        gone = list(known) if seen is player else [slot for slot in known if slot == player.mind.slot]
        for slot in gone:
            known.pop(slot)["end_tick"] = match.tick
        if gone:
            _put(match, seen)


def leave(match: CsMatch, player: Player) -> None:
    """End what others saw of a player whose body goes."""
    for row in match.sights.pop(player.slot, {}).values():
        row["end_tick"] = match.tick


def _put(match: CsMatch, seen: Player) -> None:
    mask = sum(1 << slot for slot in match.sights[seen.slot])
    match.put_pawn(
        seen,
        m_entitySpottedState__m_bSpotted=bool(mask),
        m_entitySpottedState__m_bSpottedByMask__0000=mask,
    )
