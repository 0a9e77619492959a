"""`DemoRecorder`: writes a demo of everything visible while a recording is played again.

A demo repeats the inputs of its players, tick by tick. Codes of saves and timeouts in chat commands are hidden.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import uuid3

from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.single import whole
from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.maps.game_map import GameMap
from playhead.teehistorian.physics.rerun.rerun import Rerun
from playhead.teehistorian.physics.world.entities import Light
from playhead.teehistorian.state.connections import Identity

if TYPE_CHECKING:
    from playhead.teehistorian.physics.rerun.message_effects import MessageEffects

_PROJECTILE, _LASER, _PICKUP, _GAME_INFO, _CHARACTER, _PLAYER_INFO, _CLIENT_INFO = 2, 3, 4, 6, 9, 10, 11
_EXTENDED = ("gameinfo@netobj.ddnet.tw", "player@netobj.ddnet.tw", "character@netobj.ddnet.tw")
_GAME_INFO_EX, _DDNET_PLAYER, _DDNET_CHARACTER = (snapshots.extended_type(_EXTENDED, name) for name in _EXTENDED)
_TEAMS_STATE = uuid3(snapshots.NAMESPACE, "teamsstate@netmsg.ddnet.tw").bytes
_CHAT_MESSAGE = 3 << 1
#: Flags of GameInfoEx, as a DDNet server has them: time as score, race, DDRace, DDNet, endless ammunition,
#: messages about records, eyes, hook collision, zoom, two known bugs, prediction, and how entities look.
GAME_INFO_FLAGS = sum(1 << bit for bit in (0, 1, 4, 5, 11, 13, 14, 15, 16, 17, 18, 22, 23, 25, 26, 27))
_GAME_INFO_VERSION, _GAME_INFO_FLAGS_2 = 8, 1 << 6
#: Type and weapon of the pickups of a map, by entity.
_PICKUPS = {6: (1, 0), 7: (0, 0), 8: (2, 2), 9: (2, 3), 10: (3, 5), 11: (2, 4)}
_PICKUPS |= {35 + shield: (4 + shield, 0) for shield in range(4)}
_NO_SCORE = -9999
_SECRET = frozenset({"save", "load", "timeout"})


class DemoRecorder:
    """Follows a `Rerun` and writes a snapshot for each tick from `first` to `last`.

    Attributes:
        snapshots: number of snapshots written.
        left_out: items that did not fit the format's limits, over all snapshots.
    """

    def __init__(
        self,
        file: snapshots.SnapshotWriter,
        rerun: Rerun,
        effects: MessageEffects,
        game_map: GameMap,
        first: int,
        last: int | None,
        sessions: Collection[int] | None,
    ) -> None:
        self.snapshots = self.left_out = 0
        self._file = file
        self._rerun = rerun
        self._effects = effects
        self._first, self._last, self._sessions = first, last, sessions
        self._teams = b""
        self._numbers: dict[tuple[int, ...], int] = {}
        self._pickups = [
            (entity.x, entity.y, *_PICKUPS[entity.kind]) for entity in game_map.entities if entity.kind in _PICKUPS
        ]
        self._infos: dict[int, tuple[Identity, tuple[int, ...]]] = {}
        self._warning = f"{game_map.name} is not the map of this recording" if game_map.is_other else ""

    def on_tick(self, tick: int) -> None:
        """Write the snapshot of a simulated tick."""
        if tick < self._first or (self._last is not None and tick > self._last):
            return
        items: snapshots.Items = {
            **snapshots.type_items(_EXTENDED),
            _GAME_INFO << 16: (0, 0, 0, 0, 0, 0, 0, 1),
            _GAME_INFO_EX << 16: (GAME_INFO_FLAGS, _GAME_INFO_VERSION, _GAME_INFO_FLAGS_2),
        }
        places = {cid: place for place, cid in enumerate(self._rerun.world.in_order())}
        for cid, identity in self._shown():
            tee = self._rerun.world.tees[cid]
            items[_CLIENT_INFO << 16 | cid] = self._client_info(cid, identity)
            items[_PLAYER_INFO << 16 | cid] = (0, cid, 0, _NO_SCORE, 0)
            items[_DDNET_PLAYER << 16 | cid] = (2 if tee.paused else 0, identity.auth_level or 0)
            if tee.alive:
                items[_CHARACTER << 16 | cid] = _character(tee, tick, self._rerun.given.flags_of(cid))
                items[_DDNET_CHARACTER << 16 | cid] = _ddnet_character(tee, tick, places[cid])
        self._add_shots(items)
        self._file.snapshot(tick, self._fitting(items))
        self.snapshots += 1
        if self._warning:
            self._say(-1, self._warning)
            self._warning = ""
        teams = b"".join(snapshots.pack(tee.team) for tee in self._rerun.world.tees)
        if teams != self._teams:
            self._teams = teams
            self._file.message(b"\0" + _TEAMS_STATE + teams)

    def on_command(self, tick: int, cid: int, name: str, arguments: tuple[str, ...]) -> None:
        """Write a chat command as chat."""
        if not self.snapshots or cid not in dict(self._shown()) or (self._last is not None and tick > self._last):
            return
        words = ["***"] * bool(arguments) if name.lower() in _SECRET else arguments
        self._say(cid, " ".join((f"/{name}", *words)))

    def _say(self, cid: int, text: str) -> None:
        """Write a line of chat; client -1 is the server."""
        data = text.encode("utf-8", "replace").replace(b"\0", b"")[:255]
        self._file.message(snapshots.pack(_CHAT_MESSAGE) + snapshots.pack(0) + snapshots.pack(cid) + data + b"\0")

    def _shown(self) -> list[tuple[int, Identity]]:
        found = []
        for cid in range(len(self._rerun.world.tees)):
            connection = self._effects.connection(cid)
            if connection is not None and (self._sessions is None or connection.number in self._sessions):
                found.append((cid, connection.identity))
        return found

    def _client_info(self, cid: int, identity: Identity) -> tuple[int, ...]:
        known = self._infos.get(cid)
        if known is None or known[0] is not identity:
            known = (
                identity,
                (
                    *_text(identity.name or f"client {cid}", 4),
                    *_text(identity.clan or "", 3),
                    -1 if identity.country is None else identity.country,
                    *_text((identity.skin or "default").split(" ")[0], 6),
                    *(0, 0, 0),
                ),
            )
            self._infos[cid] = known
        return known[1]

    def _add_shots(self, items: snapshots.Items) -> None:
        world = self._rerun.world
        numbers: dict[tuple[int, ...], int] = {}
        for one in world.shots.projectiles:
            fields = (whole(one.x), whole(one.y), whole(one.dx * 100), whole(one.dy * 100), one.kind, one.start)
            number = self._number(numbers, (0, one.owner, one.aim_x, one.aim_y, *fields))
            items[_PROJECTILE << 16 | number] = fields
        for beam in world.lasers.beams:
            line = (whole(beam.x), whole(beam.y), whole(beam.from_x), whole(beam.from_y), beam.seen)
            items[_LASER << 16 | self._number(numbers, (1, beam.kind, beam.owner, *line))] = line
        for place, thing in enumerate(world.entities.things):
            if isinstance(thing, Light):
                line = (whole(thing.x), whole(thing.y), whole(thing.to_x), whole(thing.to_y), world.tick - 4)
                items[_LASER << 16 | self._number(numbers, (2, place))] = line
        for place, pickup in enumerate(self._pickups):
            items[_PICKUP << 16 | self._number(numbers, (3, place))] = pickup
        self._numbers = numbers

    def _number(self, numbers: dict[tuple[int, ...], int], key: tuple[int, ...]) -> int:
        """Return the id of a shot or thing: the same on each tick, otherwise the first free one."""
        number = self._numbers.get(key)
        if number is None:
            used = {*self._numbers.values(), *numbers.values()}
            number = next(free for free in range(1 << 16) if free not in used)
        numbers[key] = number
        return number

    def _fitting(self, items: snapshots.Items) -> snapshots.Items:
        """Return the items within the format's limits; those that were added first stay."""
        if len(items) <= snapshots.MOST_ITEMS // 4:
            return items
        kept: snapshots.Items = {}
        size = 8
        for key, fields in items.items():
            size += 4 * (2 + len(fields))
            if len(kept) == snapshots.MOST_ITEMS or size > snapshots.MOST_BYTES:
                self.left_out += len(items) - len(kept)
                break
            kept[key] = fields
        return kept


def _text(text: str, count: int) -> tuple[int, ...]:
    """Return a text as so many numbers of four characters, as the game packs names."""
    data = text.encode()[: 4 * count - 1].decode("utf-8", "ignore").encode().ljust(4 * count, b"\0")
    coded = bytearray(byte + 128 & 0xFF for byte in data)
    coded[-1] = 0
    return tuple(int.from_bytes(coded[place : place + 4], "big", signed=True) for place in range(0, 4 * count, 4))


def _character(tee: Body, tick: int, flags: int) -> tuple[int, ...]:
    emote = 5 if tee.freeze_ticks or tee.paused else 0
    return (
        *(tick, int(tee.x), int(tee.y), round(tee.vel_x * 256), round(tee.vel_y * 256), tee.angle, tee.direction),
        *(tee.jumped, tee.hooked, tee.hook_state, tee.hook_ticks, int(tee.hook_x), int(tee.hook_y)),
        *(round(tee.hook_dx * 256), round(tee.hook_dy * 256), flags, 10, 0, 0, tee.weapon, emote, tee.attack_tick),
    )


def _ddnet_character(tee: Body, tick: int, place: int) -> tuple[int, ...]:
    flags = (
        *(tee.solo, tee.jetpack, tee.no_collision, tee.endless_hook, tee.endless_jump, 0),
        *(tee.no_hits & 1, tee.no_hits & 4, tee.no_hits & 8, tee.no_hits & 16, tee.no_hook),
        *(tee.telegun & 1, tee.telegun & 2, tee.telegun & 4),
        *(tee.owned & 1, tee.owned & 2, tee.owned & 4, tee.owned & 8, tee.owned & 16, tee.weapon == 5, tee.live),
    )
    freeze_end = -1 if tee.deep else tick + tee.freeze_ticks if tee.freeze_ticks else 0
    return (
        sum(1 << bit for bit, flag in enumerate(flags) if flag),
        *(freeze_end, tee.jumps, tee.tele_checkpoint, place, tee.jumped_total),
        *(tee.ninja_start, tee.freeze_start, tee.in_x, tee.in_y),
    )
