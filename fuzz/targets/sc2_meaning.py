"""A StarCraft II replay whose members mean something else: keys and types of the metadata's JSON, of the tagged
values of the details, of the events of the tracker.

The first byte chooses the member, the others what is changed.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random

import archives
import meaning
from tests.samples.sc2 import replay as sample

from playhead.blizzard.members import member_names

#: Tables that the details and the metadata fill, or that count teams; real recordings lack files of the cache too.
_OF_PEOPLE = frozenset({"players", "info", "teams", "outcomes", "scouting", "cache_files"})


@cache
def members() -> tuple[bytes, bytes, dict[str, bytes]]:
    """The sample, its user data, and its members by name."""
    return (data := sample.sample_bytes(), *archives.members_of(data))


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    sound, user, held = members()
    random = Random(data[1:])
    kind = data[0] % 3
    if kind == 0:
        name = member_names.METADATA
        changed = json.dumps(meaning.other_json(json.loads(held[name]), random)).encode()
    else:
        name = member_names.DETAILS if kind == 1 else member_names.TRACKER_EVENTS
        changed = archives.tagged(held[name], random)
    meaning.check(sound, archives.packed(user, {**held, name: changed}), _OF_PEOPLE if kind < 2 else ())
