"""`DemoRecorder`: writes a demo of everything visible while a recording is played again.

A demo repeats the inputs of its players, tick by tick. Codes of saves and timeouts in chat commands are hidden.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import uuid3

from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.demo.huffman import pack
from playhead.teehistorian.physics.demo.scenery import EXTENDED, Scenery
from playhead.teehistorian.physics.demo.tick_items import Happenings, TeeItems
from playhead.teehistorian.physics.game_map import GameMap
from playhead.teehistorian.physics.rerun.rerun import Rerun
from playhead.teehistorian.state.connections import Connection, Identity

if TYPE_CHECKING:
    from playhead.teehistorian.physics.rerun.message_effects import MessageEffects

_GAME_INFO, _PLAYER_INFO, _CLIENT_INFO = 6, 10, 11
_GAME_INFO_EX, _DDNET_PLAYER = (snapshots.extended_type(EXTENDED, name) for name in EXTENDED[:2])
_TEAMS_STATE = uuid3(snapshots.NAMESPACE, "teamsstate@netmsg.ddnet.tw").bytes
_CHAT_MESSAGE = 3 << 1
#: Flags of GameInfoEx, as a DDNet server has them: time as score, race (twice), DDRace, DDNet, endless ammunition,
#: messages about records, eyes, hook collision, zoom, two known bugs, prediction, and how entities look.
GAME_INFO_FLAGS = sum(1 << bit for bit in (0, 1, 4, 5, 10, 11, 13, 14, 15, 16, 17, 18, 22, 23, 25, 26, 27))
_GAME_INFO_VERSION, _GAME_INFO_FLAGS_2 = 8, 1 << 6
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
        self._scenery = Scenery(rerun.world, game_map)
        self._tees = TeeItems(rerun.world)
        self._scores: dict[int, int] = {}
        self._happenings = Happenings(rerun.world)
        self._infos: dict[int, tuple[Identity, tuple[int, ...]]] = {}
        self._warning = f"{game_map.name} is not the map of this recording" if game_map.is_other else ""

    def on_tick(self, tick: int) -> None:
        """Write the snapshot of a simulated tick."""
        if tick < self._first or (self._last is not None and tick > self._last):
            return
        items: snapshots.Items = {
            _GAME_INFO << 16: (0, 0, 0, 0, 0, 0, 0, 1),
            _GAME_INFO_EX << 16: (GAME_INFO_FLAGS, _GAME_INFO_VERSION, _GAME_INFO_FLAGS_2),
        }
        world = self._rerun.world
        born = {cid for cid in world.in_order() if world.tees[cid].born == tick}
        shown = dict(self._shown())
        self._note_finishes()
        for cid, connection in shown.items():
            tee, identity = world.tees[cid], connection.identity
            score = self._scores.get(connection.number, _NO_SCORE)
            items[_CLIENT_INFO << 16 | cid] = self._client_info(cid, identity)
            items[_PLAYER_INFO << 16 | cid] = (0, cid, 0, score, 0)
            items[_DDNET_PLAYER << 16 | cid] = (2 if tee.paused else 0, identity.auth_level or 0)
        items |= self._tees.items(shown, born, self._rerun.given.flags_of)
        items |= self._scenery.items()
        items |= self._happenings.items(shown, born)
        items = snapshots.type_items(EXTENDED, items) | items
        self._file.snapshot(tick, self._fitting(items))
        self.snapshots += 1
        if self._warning:
            self._say(-1, self._warning)
            self._warning = ""
        teams = b"".join(pack(tee.team) for tee in self._rerun.world.tees)
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
        self._file.message(pack(_CHAT_MESSAGE) + pack(0) + pack(cid) + data + b"\0")

    def _note_finishes(self) -> None:
        """Keep the best time of each session that finished, as its score."""
        notes = self._rerun.notes
        for kind, tick, *about in notes.take() if notes is not None else ():
            if kind == "races" and about[3] is not None:
                for session in about[2]:
                    self._scores[session] = max(self._scores.get(session, _NO_SCORE), (about[3] - tick) // 50 + 1)
        if notes is not None:
            notes.events = []

    def _shown(self) -> list[tuple[int, Connection]]:
        found = []
        for cid in range(len(self._rerun.world.tees)):
            connection = self._effects.connection(cid)
            if connection is not None and (self._sessions is None or connection.number in self._sessions):
                found.append((cid, connection))
        return found

    def _client_info(self, cid: int, identity: Identity) -> tuple[int, ...]:
        known = self._infos.get(cid)
        if known is None or known[0] is not identity:
            known = (
                identity,
                (
                    *snapshots.packed_text(identity.name or f"client {cid}", 4),
                    *snapshots.packed_text(identity.clan or "", 3),
                    -1 if identity.country is None else identity.country,
                    *snapshots.looks(identity.skin, identity.colors),
                ),
            )
            self._infos[cid] = known
        return known[1]

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
