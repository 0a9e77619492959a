"""Items whose identity takes more than 32 bits, and gloves that belong to somebody else."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.source2.cs2_match import arms, people, plan
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import RoundPlan
from tests.samples.source2.cs2_match.state import CsMatch, Player, T
from tests.samples.source2.cs2_match.world import pawn_index

import playhead

pytestmark = pytest.mark.slow_interpreted

HIGH = 5


def test_gloves_are_of_the_account_that_they_name() -> None:
    """All players wear the gloves of one of them, and the server tells the high word of their identity."""
    dress, accounts = arms.dress, []

    def borrowed(match: CsMatch, player: Player) -> None:
        dress(match, player)
        if not player.is_bot:
            accounts.append(player.account)
            values = {"m_iItemIDHigh": HIGH, "m_iAccountID": accounts[0] - arms._FIRST_ACCOUNT_OF_STEAM}
            match.world.put(pawn_index(player.slot), values)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arms, "dress", borrowed)
        patched.setattr(people, "dress", borrowed)
        written = write_cs2_match(0.1, plan=[RoundPlan("live", 1, 1, 0, T, 0, plan.T_WIN, True)])
    replay = playhead.open(written.data)
    gloves: list[dict[str, Any]] = [row for row in replay.table("skins").to_pylist() if row["kind"] == "gloves"]
    (owner,) = (player for player in replay.players if player.account == str(accounts[0]))
    assert len({row["entity"] for row in gloves}) == len(set(accounts)) > 5
    assert {(row["player"], row["account"]) for row in gloves} == {(owner.player, owner.account)}
    low = {row["econ_item"] - (HIGH << 32) for row in gloves}
    assert low == {900 + player.details["slot"] for player in replay.players if player.account and player.team}
