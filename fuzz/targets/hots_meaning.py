"""A Heroes of the Storm replay whose tagged values, of details or tracker, mean something else.

The first byte chooses the member, the others what is changed.
"""

from __future__ import annotations

from functools import cache
from random import Random

import archives
import meaning
from tests.samples.hots import replay as sample

from playhead.blizzard.members import member_names

#: Tables that the details fill.
_OF_PEOPLE = frozenset({"players", "info", "player_stats", "player_series"})


@cache
def members() -> tuple[bytes, bytes, dict[str, bytes]]:
    """The sample, its user data, and its members by name."""
    return (data := sample.sample_bytes(), *archives.members_of(data))


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    sound, user, held = members()
    is_details = data[0] % 2 == 0
    name = member_names.DETAILS if is_details else member_names.TRACKER_EVENTS
    changed = archives.tagged(held[name], Random(data[1:]))
    meaning.check(sound, archives.packed(user, {**held, name: changed}), _OF_PEOPLE if is_details else ())
