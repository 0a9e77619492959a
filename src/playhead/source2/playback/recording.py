"""`Recording`: the frames of a demo and the content of its sign-on frames; `Schema`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from playhead.errors import CorruptReplay, ReplayError
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.runtime.typing import TYPE_CHECKING, Any, TypeVar
from playhead.source2.container import frames
from playhead.source2.container.demo import DemoFile
from playhead.source2.entities.classes import Projection, shared_layouts, shared_tree
from playhead.source2.entities.manager import EntityManager
from playhead.source2.games import game_of
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine, command_names
from playhead.source2.messages.packet import PacketReader, inner_messages
from playhead.source2.playback.message_numbers import MessageNumbers, packet_data
from playhead.source2.schema.patches import build_of
from playhead.source2.schema.send_tables import SendTables, read_class_names, read_send_tables
from playhead.source2.schema.tree import FieldCursor

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import EventList

# Real games have 1/30 (Dota 2) and 1/64 s (CS2, Deadlock).
_SHORTEST_TICK, _LONGEST_TICK = 1e-3, 1.0

#: Fields of a protobuf message by name; by number for unknown ones.
Content = Mapping[str | int, Any]
_T = TypeVar("_T")

# Content of the latest sign-on frames, by decoder, stored bytes, compression and bound on size.
_SIGNON: dict[tuple[Any, bytes, bool, int], Any] = {}
_MOST_SIGNON = 8


def raise_problem(error: ReplayError, _cost: str) -> None:
    """Raise the error; the default handler of problems."""
    raise error


def last_part(path: object) -> str:
    """Return the last part of a path of either system; empty for none."""
    return str(path or "").replace("\\", "/").rpartition("/")[2]


class Recording(DemoFile):
    """One demo: its frames, header and sign-on content, each read on first access.

    `file_header`, `file_info` and `server_info` are protobuf messages as dicts by field name, empty if missing
    or unreadable.
    """

    def __init__(self, source: Source, limits: Limits | None = None, note: ProblemHandler = raise_problem) -> None:
        super().__init__(source, limits or Limits(), note)
        self.file_header: Content = {}
        try:
            first = self.first_frame  # None is reported as a problem elsewhere
            if first is not None and first.command == frames.FILE_HEADER:
                self.file_header = wire.decode("CDemoFileHeader", self.payload(first))
        except ReplayError as error:
            self._note(error.locate(where="FileHeader"), "map, build and game")

    def packet(self, frame: frames.Frame, payload: bytes | memoryview) -> bytes:
        """Return the inner messages of a packet frame, as one bit stream; those that moved to a number without a
        name have that of their definition.
        """
        return self.numbers.known(self, packet_data(frame, payload))

    @cached_property
    def numbers(self) -> MessageNumbers:
        """The numbers of its messages."""
        named = self.file_header.get("game") or self.file_header.get("game_directory")
        game = self.game if named else game_of(last_part(self._served().get("game_dir")))
        return MessageNumbers(game, self._note)

    def _served(self) -> Content:
        """Return ServerInfo before the numbers of messages are known: it has the game of a broadcast."""
        from playhead.source2.messages.renumbered import is_server_info

        for frame, payload in self.signon(frames.SIGNON_PACKET):
            with suppress(ReplayError):  # the pass over all frames reports it
                for number, message in inner_messages(packet_data(frame, payload)):
                    if number == Engine.SERVER_INFO or is_server_info(message):
                        return wire.decode("CSVCMsg_ServerInfo", message)
        return {}

    @cached_property
    def file_info(self) -> Content:
        """CDemoFileInfo: length, and for Dota the match."""
        if self.file_info_frame is None:
            return {}
        try:
            return wire.decode("CDemoFileInfo", self.payload(self.file_info_frame))
        except ReplayError as error:
            self._note(error.locate(where="FileInfo"), "length, match id, winner, players")
            return {}

    @cached_property
    def server_info(self) -> Content:
        """CSVCMsg_ServerInfo from the sign-on packets: tick interval, classes, map."""
        for frame, payload in self.signon(frames.SIGNON_PACKET):
            message = None
            try:
                reader = PacketReader(self.packet(frame, payload))
                while message is None and reader.advance():
                    if reader.id == Engine.SERVER_INFO:
                        message = reader.payload()
            except ReplayError:  # the pass over all frames reports it
                continue
            if message is None:
                continue
            try:
                return wire.decode("CSVCMsg_ServerInfo", message)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(where="ServerInfo", tick=frame.tick), SERVER_INFO_COST)
        return {}

    def _decode_signon(self, command: int, decode: Callable[[bytes | memoryview], _T], cost: str) -> _T | None:
        """Return the content of the first decodable sign-on frame with that command; None without one.

        The latest few are cached by their stored bytes: files of one build have the same.
        """
        for frame in self.signon_frames(command):
            key = (decode, self.stored(frame), frame.compressed, self.limits.frame)
            known: _T | None = _SIGNON.get(key)
            if known is not None:
                return known
            try:
                payload = self.payload(frame)
            except ReplayError:  # the pass over all frames reports it
                continue
            try:
                found = decode(payload)
                if len(_SIGNON) >= _MOST_SIGNON:
                    with suppress(KeyError):  # another thread may have removed it
                        del _SIGNON[next(iter(_SIGNON))]
                _SIGNON[key] = found
                return found
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(where=command_names()[command], tick=frame.tick), cost)
        return None

    @cached_property
    def send_tables(self) -> SendTables:
        """The serializers: classes, their fields and encodings; empty if the file has none."""
        found = self._decode_signon(frames.SEND_TABLES, read_send_tables, "the schema") or SendTables({})
        for early in found.early_references:
            self._note(early.error.locate(where=command_names()[frames.SEND_TABLES]), early.cost)
        return found

    @cached_property
    def class_names(self) -> Mapping[int, str]:
        """Network name by class id; empty if the file has none."""
        return self._decode_signon(frames.CLASS_INFO, read_class_names, "names of classes") or {}

    @property
    def declares_classes(self) -> bool:
        """Whether it has a schema, without which entities cannot be decoded."""
        return bool(self.send_tables and self.class_names)

    @cached_property
    def game_word(self) -> str:
        """``dota``, ``csgo`` or ``citadel``: from the header, or else the last part of the game's folder."""
        named = self.file_header.get("game")
        if named:
            return str(named)
        folder = self.file_header.get("game_directory") or self.server_info.get("game_dir")
        return last_part(folder) or "source2"

    @cached_property
    def game(self) -> str:
        """``dota2``, ``cs2`` or ``deadlock``; `game_word` of any other game."""
        return game_of(self.game_word)

    @cached_property
    def event_list(self) -> bytes | None:
        """The list of game events with which the recording begins, as the message; None without one."""
        wanted = frozenset({Engine.GAME_EVENT_LIST})
        for frame, payload in self.signon(frames.SIGNON_PACKET):
            with suppress(ReplayError):  # the pass over all frames reports it
                reader = PacketReader(self.packet(frame, payload))
                if reader.advance_to(wanted):
                    return bytes(reader.payload())
        return None

    @cached_property
    def borrowed_events(self) -> EventList | None:
        """The list of game events of another build, if the recording has none; None if no known one agrees."""
        from playhead.source2.messages.game_events import has_lists, nearest_list

        if self.source.stream is not None or not has_lists(self.game) or self.event_list is not None:
            return None
        numbers = frozenset({Engine.GAME_EVENT_LIST, Engine.GAME_EVENT})
        seen: dict[int, tuple[int, ...]] = {}
        for frame in self.frames:
            if frame.command not in (frames.SIGNON_PACKET, frames.PACKET, frames.FULL_PACKET):
                continue
            with suppress(ReplayError):  # the pass over all frames reports it
                reader = PacketReader(self.packet(frame, self.payload(frame)))
                while reader.advance_to(numbers):
                    if reader.id == Engine.GAME_EVENT_LIST:
                        return None
                    event = wire.decode("CMsgSource1LegacyGameEvent", reader.payload())
                    seen[event.get("eventid", -1)] = tuple(key.get("type", 0) for key in event.get("keys", ()))
        return nearest_list(self.game, self.file_header.get("build_num", 0), seen) if seen else None

    @property
    def match_info(self) -> Content:
        """The fields of FileInfo about the match of this game (CGameInfo); empty if the file has none."""
        found: Content = self.file_info.get("game_info", {}).get(self.game_word, {})
        return found

    @cached_property
    def ticks_per_second(self) -> float | None:
        """Ticks per second from ServerInfo, or else from ticks and seconds of FileInfo; None if unknown."""
        interval = self.server_info.get("tick_interval")
        if interval is None:
            seconds, ticks = self.file_info.get("playback_time"), self.file_info.get("playback_ticks")
            if not seconds or not ticks or not _SHORTEST_TICK <= seconds / ticks <= _LONGEST_TICK:
                return None
            interval = seconds / ticks
        if not _SHORTEST_TICK <= interval <= _LONGEST_TICK:
            text = f"expected a tick interval of {_SHORTEST_TICK} to {_LONGEST_TICK} s, found {interval}"
            self._note(CorruptReplay(text, where="ServerInfo"), "ticks in seconds")
            return None
        rate = 1.0 / float(interval)
        # The interval is a float32 (1/30 is 0.0333333351); real rates are whole numbers.
        return float(round(rate)) if abs(rate - round(rate)) < 1e-3 else rate

    @cached_property
    def joined(self) -> int | None:
        """First tick of a broadcast's data; None for a file."""
        if self.source.fragments is None:
            return None
        return next((frame.tick for frame in self.frames if frame.tick >= 0), None)

    @cached_property
    def schema(self) -> Schema:
        """The schema with every field, shared by all playbacks that keep all fields."""
        return Schema(self)


#: Reason why tables of entities are empty.
NO_CLASSES = "lost: the recording is cut or damaged before it declares its classes"
#: Data lost with an undecodable ServerInfo.
SERVER_INFO_COST = "tick rate and facts of the server"


class Schema:
    """The patched serializers and class layouts, shared by all playbacks of a recording.

    Args:
        recording: the recording.
        wanted: fields to keep, by class; None keeps all. See `EntityManager`.
    """

    def __init__(self, recording: Recording, wanted: Projection | None = None) -> None:
        build = build_of(str(recording.server_info.get("game_dir", "")))
        self.tree = shared_tree(recording.send_tables, build)
        self._layouts = shared_layouts(recording.send_tables, build, wanted)

    def manager(self) -> EntityManager:
        """Return a new manager without entities."""
        return EntityManager(self._layouts)


class DeclaredFields:
    """Looks up fields of classes."""

    def __init__(self, recording: Recording) -> None:
        self._tree = recording.schema.tree if recording.send_tables else None
        self._cursors: dict[str, FieldCursor | None] = {}

    def names(self, class_name: str) -> tuple[str, ...]:
        """Return the names of the class's own fields; none if it is not declared."""
        with suppress(ReplayError):
            if self._tree is not None:
                return self._tree.root(class_name).names
        return ()

    def has(self, class_name: str, field: str) -> bool:
        """Return whether the class declares the field."""
        if class_name not in self._cursors:
            self._cursors[class_name] = None
            with suppress(ReplayError):
                if self._tree is not None:
                    self._cursors[class_name] = FieldCursor(self._tree, self._tree.root(class_name), class_name)
        cursor = self._cursors[class_name]
        return cursor is not None and cursor.path_of(field) is not None
