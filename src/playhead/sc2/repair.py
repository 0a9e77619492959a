"""Inference of builds and of nameless members of a damaged replay."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from playhead.blizzard.members import member_names
from playhead.blizzard.members.lobby import read_attributes, read_lobby
from playhead.blizzard.protocol.tables import GAME, MESSAGE
from playhead.blizzard.repair.guess_member import LEAST_EVENTS, Builds, MemberGuesser, pass_over
from playhead.errors import CorruptReplay, ReplayError
from playhead.limits import Limits
from playhead.runtime.records import dataclass
from playhead.sc2.members.metadata import read_load_info, read_metadata
from playhead.sc2.members.replay_info import read_replay_info
from playhead.sc2.members.resumable import read_resumable
from playhead.sc2.members.sync import read_sync
from playhead.sc2.protocol.tables import (
    FIRST_ATTRIBUTES_WITH_SOURCE,
    PROTOCOLS,
    event_program,
    init_data_program,
    known_builds,
    wire_formats,
)

#: Members that a table must read besides the game's events.
_ALSO_READ = (member_names.MESSAGE_EVENTS, member_names.INIT_DATA, member_names.INIT_DATA_BACKUP)

#: The first build of all replays seen, 0.2; the last that writes ``replay.info``, 0.10; and the first that has the
#: base build of betas and another table, 0.19.
_FIRST, _LAST_WITH_INFO, _FIRST_RETAIL = 13891, 14803, 15976
#: The first base build that writes a member.
_FIRST_WITH = {
    member_names.LOAD_INFO: 15405,
    member_names.BATTLE_LOBBY: 24764,
    member_names.TRACKER_EVENTS: 24944,
    member_names.METADATA: 44401,
}
#: Members that reveal the builds.
TELL_BUILD = (
    *(member_names.GAME_EVENTS, *_ALSO_READ, member_names.GAME_ATTRIBUTES),
    *(*_FIRST_WITH, member_names.REPLAY_INFO),
)


def count_events(data: bytes, builds: Builds, stream: str) -> tuple[int, bool]:
    """Return the number of events of a stream, and whether they end with the stream; see `pass_over`."""
    decoder, whole = pass_over(data, event_program(*builds, stream), stream)
    return decoder.rows, whole


@dataclass(frozen=True, slots=True)
class BuildGuess:
    """Builds inferred from the encoding of the members.

    Attributes:
        builds: base build and build of the table to use: the newest that fits.
        first, last: the base builds that may have written the members. Builds with the same wire format cannot be
            distinguished.
        whole: whether all tried members are read to their last byte.
    """

    builds: Builds
    first: int
    last: int
    whole: bool


def _fit(members: Mapping[str, bytes], builds: Builds) -> tuple[bool, int, int]:
    """Return how well a table fits: whether it reads the game's events to their end, how many other members it
    reads to their end, and how many events."""
    others = 0
    count, whole = count_events(members[member_names.GAME_EVENTS], builds, GAME)
    if not whole or not count:
        return False, 0, count
    if member_names.MESSAGE_EVENTS in members:
        others += count_events(members[member_names.MESSAGE_EVENTS], builds, MESSAGE)[1]
    for name in (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP):
        with suppress(ReplayError):
            if name in members:
                read_lobby(members[name], init_data_program(*builds))
                others += 1
    return True, others, count


def _span(members: Mapping[str, bytes]) -> tuple[int, int]:
    """Return the first and the last possible base build, judged by which members exist and how they begin."""
    first = max((build for name, build in _FIRST_WITH.items() if name in members), default=_FIRST)
    last = _LAST_WITH_INFO if member_names.REPLAY_INFO in members else known_builds()[-1]
    attributes = members.get(member_names.GAME_ATTRIBUTES)
    if attributes:
        with suppress(ReplayError):
            read_attributes(attributes, with_source=False)
            last = min(last, FIRST_ATTRIBUTES_WITH_SOURCE - 1)
        with suppress(ReplayError):
            read_attributes(attributes)
            first = max(first, FIRST_ATTRIBUTES_WITH_SOURCE)
    return first, last


def _covered(builds: Builds) -> tuple[int, int]:
    """Return the first and the last base build that the table of `builds` is used for."""
    base, build = builds
    bases = sorted({known for tables in wire_formats().values() for known, _ in tables})
    above = [other for other in bases if other > base]
    last = above[0] - 1 if above else base
    if base != bases[0]:
        return base, last
    return (_FIRST, _FIRST_RETAIL - 1) if build < _FIRST_RETAIL else (base, last)


def guess_build(members: Mapping[str, bytes]) -> BuildGuess | None:
    """Return the builds whose tables read the game's events, and then most of the other members, to the last byte.
    For damaged events, the builds that read most of them; None if no table reads any, or without events.

    Each known wire format is tried once; most of them fail at once.

    Args:
        members: decompressed, by name, up to the first gap.
    """
    if member_names.GAME_EVENTS not in members:
        return None
    first, last = _span(members)
    fits: dict[tuple[bool, int, int], list[tuple[int, int, Builds]]] = defaultdict(list)
    for newest, tables in wire_formats().items():
        spans = [
            (max(low, first), min(high, last), builds) for builds in tables for low, high in [_covered(builds)]
        ]
        possible = [span for span in spans if span[0] <= span[1]]
        if possible:
            fits[_fit(members, newest)] += possible
    if not fits:
        return None
    best = max(fits)
    whole, others, count = best
    if not whole and count < LEAST_EVENTS:
        return None
    high, (base, build) = max((span[1], span[2]) for span in fits[best])
    wanted = len(members.keys() & _ALSO_READ)
    # A build below all tables has the lowest.
    used = (min(base, high), min(build, high)) if high < _FIRST_RETAIL else (base, build)
    return BuildGuess(used, min(span[0] for span in fits[best]), high, whole and others == wanted)


def _sync(data: bytes, least: int) -> None:
    checks = read_sync(data).checks()
    if len(checks) < least or not all(check.flag for check in checks):
        raise CorruptReplay("expected checksums with their flag set")
    steps = {after.tick - before.tick for before, after in itertools.pairwise(checks)}
    if min(steps) < 1 or len(steps) > 8:
        raise CorruptReplay("expected checksums at regular intervals")


def _resumable(data: bytes) -> None:
    for build in (1 << 30, 0):  # with and without colour and name
        with suppress(ReplayError):
            markers = read_resumable(data, build)
            if all(marker.kind_id <= 3 and marker.user <= 16 for marker in markers):
                return
    raise CorruptReplay("expected markers to resume from")


class Sc2MemberGuesser(MemberGuesser):
    """Recognises the members of one replay of StarCraft II."""

    def __init__(self, builds: Builds | None, limits: Limits) -> None:
        super().__init__(PROTOCOLS, builds, limits)

    def _strict(self, data: bytes, sure: bool) -> Iterable[tuple[str | None, Callable[[], object]]]:
        if data[:16].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            yield member_names.METADATA, lambda: read_metadata(data)
        yield from super()._strict(data, sure)
        yield member_names.LOAD_INFO, lambda: read_load_info(data)
        yield member_names.REPLAY_INFO, lambda: read_replay_info(data)
        yield member_names.SYNC_EVENTS, lambda: _sync(data, 16 if sure else 2)

    def _likely(self, data: bytes) -> str | None:
        with suppress(ReplayError):
            _resumable(data)
            return member_names.RESUMABLE
        return None
