"""The hostage and the chicken of the written match."""

from __future__ import annotations

from tests.samples.source2.cs2_match.state import CT, NO_HANDLE, CsMatch, Player, T
from tests.samples.source2.cs2_match.world import CHICKEN, HOSTAGE, pawn_index

_STEP_TICKS = 12


def rescue(match: CsMatch, *, dies: bool) -> None:
    """Let a counter-terrorist carry the hostage, drop it and rescue it; if `dies`, a terrorist kills it."""
    carriers, others = match.side(CT, alive=True), match.side(T, alive=True)
    if not carriers or not others:
        return
    steps: list[tuple[str, str, Player | None]] = [
        ("hostage_call_for_help", "called_for_help", None),
        ("hostage_follows", "picked_up", carriers[0]),
        ("hostage_stops_following", "dropped", carriers[0]),
        ("hostage_hurt", "hurt", others[0]),
    ]
    if dies:
        steps.append(("hostage_killed", "killed", others[0]))
    else:
        steps += [("hostage_follows", "picked_up", carriers[0]), ("hostage_rescued", "rescued", carriers[0])]
    for number, step in enumerate(steps):
        match.later(1 + _STEP_TICKS * number, lambda step=step: _tell(match, *step))  # type: ignore[misc]


def _tell(match: CsMatch, name: str, event: str, player: Player | None) -> None:
    site = {"site": 0} if event == "rescued" else {}
    who = {} if player is None else match.of(player.mind)
    if player is not None and event == "picked_up":
        match.world.put(HOSTAGE, {"m_leader": match.world.handle_of(pawn_index(player.slot))})
    elif event in ("dropped", "rescued", "killed"):
        match.world.put(HOSTAGE, {"m_leader": NO_HANDLE})
    match.event(name, **who, hostage=HOSTAGE, **site)
    match.tell("hostages", event=event, player=None if player is None else player.mind.name)


def shoot_chicken(match: CsMatch) -> None:
    """Let a terrorist kill the chicken with a pistol."""
    player = next(iter(match.side(T, alive=True)), None)
    if player is None:
        return
    values = {"headshot": False, "penetrated": 0, "noscope": False, "thrusmoke": False, "attackerblind": False}
    match.event(
        "other_death", otherid=CHICKEN, othertype="chicken", attacker=player.mind.slot, weapon="glock", **values
    )
    match.tell("other_deaths", victim="chicken", attacker=player.mind.name, weapon="glock")
