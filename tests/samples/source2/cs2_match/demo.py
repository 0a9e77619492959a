"""The written match as bytes, with its story."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.source2.cs2_match.commands import Commands
from tests.samples.source2.cs2_match.events import EVENTS
from tests.samples.source2.cs2_match.people import enter, new_player, record
from tests.samples.source2.cs2_match.plan import RoundPlan, plan_match
from tests.samples.source2.cs2_match.play import Pace
from tests.samples.source2.cs2_match.rounds import Director
from tests.samples.source2.cs2_match.state import FIRST_SERVER_TICK, NAMES, TICKS_PER_SECOND, CsMatch
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.recording import (
    RecordingForm,
    file_header,
    server_info,
    write_recording,
)

from playhead.runtime.records import dataclass
from playhead.source2.container.frames import USER_COMMAND
from playhead.source2.writing.demo import DemoWriter, InnerMessage, StringTableEntry

_GAME_DIR = "/srv/cs2/game/csgo"
_MAP = "de_sample"
_SEED = 7
_CONVARS = {"mp_maxrounds": "24", "mp_overtime_enable": "true", "mp_friendlyfire": "true", "sv_cheats": "0"}

_HEADER = file_header(_MAP, _GAME_DIR, 10772, 14155, fullpackets_version=2, server_start_tick=FIRST_SERVER_TICK)


@dataclass(frozen=True, slots=True)
class WrittenMatch:
    """A written match: the file and what happened in it, by name of table."""

    data: bytes
    story: dict[str, Any]


def _rounds(minutes: float) -> list[RoundPlan]:
    """Return as many rounds as fit: a match of 12 rounds a half from twenty minutes on."""
    if minutes >= 20:
        return plan_match(12, 3)
    return plan_match(5, 1) if minutes >= 6 else plan_match(3, 1, overtimes=1)


def write_cs2_match(
    minutes: float,
    *,
    seed: int = _SEED,
    plan: list[RoundPlan] | None = None,
    event_list: bool = True,
    recorder: int | None = None,
    step: int = 1,
) -> WrittenMatch:
    """Return a match of about that many minutes. The same arguments give the same bytes.

    Args:
        minutes: its length; a round is shorter in a short match.
        seed: of the random numbers.
        plan: its rounds; the default has warm-up, a knife round, two halves, overtimes and a restored backup.
        event_list: the recording has its list of game events.
        recorder: slot of the player who records; None is SourceTV. A player's recording has that player's commands
            alone, in frames of their own.
        step: ticks between two steps of a player; servers have 1, and most of a recording's bytes are steps.
    """
    rounds = _rounds(minutes) if plan is None else plan
    # Most rounds end before their time is over.
    each = int(1.24 * minutes * 60 * TICKS_PER_SECOND / len(rounds))
    pace = Pace(freeze=max(96, each // 6), live=max(600, each * 7 // 10), after=max(48, each // 12))
    match = CsMatch(seed, step)
    for slot in range(len(NAMES)):
        enter(match, new_player(slot), 2 if slot < len(NAMES) // 2 else 3)
    record(match)
    Director(match, rounds, pace)
    every = 60 * TICKS_PER_SECOND
    commands = Commands(match, every)
    convars = [{"name": name, "value": value} for name, value in _CONVARS.items()]
    server = server_info(_MAP, _GAME_DIR, 14155, TICKS_PER_SECOND)
    if recorder is not None:
        server |= {"is_hltv": False, "player_slot": recorder}
    form = RecordingForm(
        server_info=server,
        ticks_per_second=TICKS_PER_SECOND,
        first_server_tick=FIRST_SERVER_TICK,
        full_packet_every=every,
        signon=[
            *([EVENTS.event_list()] if event_list else []),
            encode_message("cs2", "CNETMsg_SetConVar", {"convars": {"cvars": convars}}),
        ],
        string_tables=lambda: {"userinfo": _users(match)},
        snapshots=commands.snapshot,
    )
    writer = DemoWriter(_HEADER)

    def packets() -> Iterator[tuple[int, list[InnerMessage]]]:
        for tick, messages in match.packets():
            if recorder is None:
                messages += commands.at(tick)
            else:
                writer.frame(USER_COMMAND, tick, commands.own_frame(recorder))
            yield tick, messages

    data = write_recording(writer, match.world, form, packets())
    return WrittenMatch(data, {"tick_rate": TICKS_PER_SECOND, "map": _MAP, **match.story})


def _users(match: CsMatch) -> list[StringTableEntry]:
    return [(slot, str(slot).encode(), match.users.get(slot, b"")) for slot in range(len(NAMES))]
