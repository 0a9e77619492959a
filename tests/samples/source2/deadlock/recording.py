"""Writes the match of Deadlock as a recording of any length, with its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.samples.source2 import recording
from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.field import FIRST_TROOPER, LANES, LAST_TROOPER, Battlefield, Row
from tests.samples.source2.deadlock.modifiers import Modifiers
from tests.samples.source2.deadlock.names import FIRST_SERVER_TICK, HEROES, RATE
from tests.samples.source2.deadlock.said import EVENTS
from tests.samples.source2.deadlock.story import DROP, MINUTE, Story
from tests.samples.source2.encoding import encode_delta, encode_message

from playhead.deadlock.sources.names import name_hash
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.writing.demo import DemoWriter, InnerMessage

#: Length of the sample; a shorter match has no room for its end.
MINUTES = 5.0
_WAVE_EVERY, _WAVE, _TROOPER_LIFE, _TROOPER_STEP = 25 * RATE, 4, 40 * RATE, 10
#: Number of the string table ActiveModifiers: instancebaseline is 0, the others follow in the order of `_tables`.
_ACTIVE_MODIFIERS = 3
_VOICE_AT, _COMMANDS_EVERY, _COMMAND = 900, RATE, "CCitadelUserCmdPB"


class _Waves:
    """Troopers of both teams, which walk from their base to the other along each lane."""

    def __init__(self, field: Battlefield) -> None:
        self._field = field
        self._walking: dict[int, tuple[int, int, float]] = {}
        self._next = FIRST_TROOPER

    def play(self, tick: int) -> None:
        """Play a tick."""
        if tick >= DROP and (tick - DROP) % _WAVE_EVERY == 0:
            for team in (2, 3):
                for lane, x in LANES.items():
                    for number in range(_WAVE):
                        self._spawn(tick, team, lane, x + 32.0 * number)
        for index, (born, team, x) in list(self._walking.items()):
            age = tick - born
            if age == _TROOPER_LIFE + 2 * (index % 30):
                self._field.put(index, {"m_iHealth": 0, "m_lifeState": 1})
            elif age == _TROOPER_LIFE + 120:
                del self._walking[index]
                self._field.remove(index)
            elif age % _TROOPER_STEP == 2 * (index % 5) and age < _TROOPER_LIFE:
                way = -7000.0 + 4.0 * age
                self._field.put_at(index, x, way if team == 2 else -way, 32.0)
                if age % RATE == 0:
                    self._field.put(index, {"m_iHealth": 300 - age // RATE})

    def _spawn(self, tick: int, team: int, lane: int, x: float) -> None:
        index = self._next
        self._next = FIRST_TROOPER if index == LAST_TROOPER else index + 1
        values = {"m_iHealth": 300, "m_iMaxHealth": 300, "m_lifeState": 0, "m_iTeamNum": team, "m_iLane": lane}
        self._field.create(index, "CNPC_Trooper", values | {"m_nSubclassID": name_hash(names.TROOPER)})
        self._field.put_at(index, x, -7000.0 if team == 2 else 7000.0, 32.0)
        self._walking[index] = tick, team, x


class _Commands:
    """Commands of all players: keys, camera, whether their shop is open; two of three as deltas if `new`."""

    def __init__(self, field: Battlefield) -> None:
        self._field = field
        self._before: dict[int, Row] = {}

    def at(self, tick: int) -> InnerMessage:
        """Return the message of a tick."""
        commands = []
        for fighter in self._field.fighters:
            base = {
                "client_tick": FIRST_SERVER_TICK + tick,
                "viewangles": {"x": 11.25, "y": fighter.yaw, "z": 0.0},
                "buttons_pb": {"buttonstate1": 8 if not fighter.dead_until else 0},
                "forwardmove": 1.0,
            }
            place = {"x": fighter.x, "y": fighter.y - 200.0, "z": fighter.z + 80.0}
            values = {"base": base, "vec_camera_position": place, "in_shop": fighter.player == tick // RATE % 12}
            before = self._before.get(fighter.player)
            if self._field.new and before is not None and tick // RATE % 3:
                sent = {"delta_data": encode_delta(before, values, _COMMAND, "deadlock")}
            else:
                sent = {"data": wire.encode(_COMMAND, values, "deadlock")}
            self._before[fighter.player] = values
            ticks = {"cmd_number": tick, "server_tick_executed": FIRST_SERVER_TICK + tick}
            commands.append({**sent, **ticks, "player_slot": fighter.player})
        return encode_message("deadlock", "CSVCMsg_UserCommands", {"commands": commands})


def _voice(player: int) -> InnerMessage:
    audio = {
        "format": "VOICEDATA_FORMAT_OPUS",
        "voice_data": b"\x01\x02\x03",
        "sample_rate": 48000,
        "num_packets": 1,
    }
    voice = {"audio": audio, "client_deprecated": player, "xuid": names.FIRST_ACCOUNT + player}
    return Engine.VOICE_DATA, wire.encode("CSVCMsg_VoiceData", voice)


class WrittenMatch:
    """One match: its recording and its story.

    Args:
        minutes: its length.
        new: as after the update of 29 September 2026.
        seed: shifts who does what, where, and how hard the blows are.
        step: ticks between two steps of a hero; servers have 1, and most of a recording's bytes are steps.

    Attributes:
        story: the facts, complete once `demo` is called.
    """

    def __init__(self, minutes: float = MINUTES, *, new: bool = False, seed: int = 0, step: int = 1) -> None:
        self._last = int(minutes * MINUTE) // 2 * 2
        self._new, self._step = new, step
        self.field = Battlefield(new=new, seed=seed)
        self._modifiers = Modifiers(_ACTIVE_MODIFIERS)
        self.story = Story(self.field, self._last, self._modifiers)

    @property
    def rows(self) -> Mapping[str, list[Row]]:
        """The facts by table."""
        return self.story.rows

    def demo(self) -> bytes:
        """Return the recording; call it once."""
        build, protocol = (10860, 6720) if self._new else (10725, 6650)
        folder = f"/opt/srcds/project8/citadel_v{protocol}/citadel"
        header = recording.file_header("dl_midtown", folder, build, server_start_tick=FIRST_SERVER_TICK)
        server = recording.server_info("dl_midtown", folder, protocol, RATE)
        form = recording.RecordingForm(
            server, RATE, FIRST_SERVER_TICK, MINUTE, [EVENTS.event_list()], self._tables
        )
        return recording.write_recording(DemoWriter(header), self.field, form, self._packets())

    def _tables(self) -> recording.StringTables:
        people = [
            {"name": names.player_name(player), "xuid": names.FIRST_ACCOUNT + player}
            for player in range(len(HEROES))
        ]
        return {
            "userinfo": recording.user_entries(people),
            "EntityNames": recording.numbered_entries(names.ENTITY_NAMES),
            "ActiveModifiers": list(self._modifiers.entries.values()),
        }

    def _packets(self) -> Iterator[tuple[int, list[InnerMessage]]]:
        waves, commands = _Waves(self.field), _Commands(self.field)
        for tick in range(1, self._last + 1):  # servers write a packet for each tick
            if not self.story.paused(tick):
                if tick % self._step == 0:
                    self.field.move(tick)
                waves.play(tick)
                self.story.play(tick)
            messages = [*self._modifiers.take(), *self.story.said.take()]
            if tick % _COMMANDS_EVERY == 0:
                messages.append(commands.at(tick))
            if tick == _VOICE_AT:
                messages.append(_voice(0))
            yield tick, messages

    def told(self) -> dict[str, Any]:
        """Return the story as the JSON beside a recording has it."""
        players = [
            {
                "player": fighter.player,
                "name": names.player_name(fighter.player),
                "hero_id": HEROES[fighter.player],
            }
            for fighter in self.field.fighters
        ]
        start = {"zero_tick": DROP, "ticks_per_second": RATE, "last_tick": self._last}
        return {"game": "deadlock", "new": self._new, **start, "players": players, **self.rows}
