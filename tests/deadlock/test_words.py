"""Words for numbers agree with the game's own message definitions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from playhead.deadlock.facts.items import CHANGES
from playhead.deadlock.sources.words import LANES, MATCH_MODES, MODES
from playhead.source2.messages.definitions import enumeration

_CHANGES = {
    "EPurchased": "purchase",
    "EUpgraded": "upgrade",
    "ESold": "sale",
    "ESwappedActivatedAbility": "swap",
    "EFailure": "failure",
}


@pytest.mark.parametrize(
    ("name", "words"), [("CMsgLaneColor", LANES), ("ECitadelGameMode", MODES), ("ECitadelMatchMode", MATCH_MODES)]
)
def test_words_are_those_of_the_definitions(name: str, words: Mapping[int, str]) -> None:
    theirs = {number: each.rpartition("_")[2].lower() for each, number in enumeration(name, "deadlock").items()}
    del theirs[0]
    assert {number: word.replace("_", "") for number, word in words.items()} == theirs


def test_changes_of_items_are_those_of_the_definitions() -> None:
    theirs = enumeration("CCitadelUserMsg_AbilitiesChanged.Change", "deadlock")
    assert {theirs[name]: word for name, word in _CHANGES.items()} == CHANGES
