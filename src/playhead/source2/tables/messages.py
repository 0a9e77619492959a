"""Messages for the game's own code: ``chat``, ``game_events``, ``user_messages``; one by one; checked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import partial

from playhead.errors import ReplayError
from playhead.events import EventSource, choose_names
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from playhead.source2.container.frames import Frame
from playhead.source2.games import GAMES, UNKNOWN_GAME, GameChat
from playhead.source2.messages.decoded import Message, MessageDecoder, unwrap
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.messages.numbers import FIRST_USER_MESSAGE, Engine, message_names, message_number
from playhead.source2.messages.packet import PacketReader, priority_of
from playhead.source2.playback.collector import Collector, Jobs, join_tables
from playhead.source2.playback.handlers import NOTHING
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.tables import TABLES
from playhead.source2.tables.message_columns import DecodingCheck, MessageTexts, UserMessageRows
from playhead.tables.arrow import named, seconds_of
from playhead.tables.packed import PackedText
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.value_arrays import array_of
from playhead.tables.vocabulary import word, words
from playhead.text.json import to_json

if TYPE_CHECKING:
    from playhead.tables.deferred import Built, Maker

_T = TypeVar("_T")

_FIELDS = 'A value that was not sent is absent; bytes are the object {"hex": "…"}, NaN and infinities are strings.'

GAME_EVENTS = TableSchema.of(
    "game_events",
    "One row for each game event, in file order.",
    *words("tick seconds"),
    word("event", "As the game names it; null if the recording's list of events does not have the number."),
    Column("descriptor_id", "int64", "Number of the event in the list of this recording."),
    word("fields", f"By place where the list does not name them. {_FIELDS}"),
    word("server_tick", "Null if the message has none."),
    group="messages",
)

USER_MESSAGES = TableSchema.of(
    "user_messages",
    "One row for each message to the game's own code (number 100 and above: user and entity messages, sounds, "
    "temporary entities; not game events), in file order. Messages inside svc_UserMessage are rows of their own.",
    *words("tick seconds message message_id"),
    word(
        "fields",
        f"Unknown ones by number; null if the message has no definition or could not be decoded. {_FIELDS}",
    ),
    word("data", "Null where `fields` is not."),
    group="messages",
)


@TABLES.maker_of(CHAT)
class Chat(Collector):
    """Table ``chat``: the engine's SayText2, and the game's own message (`Game.chat`)."""

    jobs: ClassVar = Jobs(anew=True)
    events: ClassVar = (EventSource("chat_sent", "A line of chat.", "chat"),)

    def __init__(self, recording: Recording) -> None:
        self._rate = recording.ticks_per_second
        self._game = recording.game
        self._own = GAMES.get(recording.game, UNKNOWN_GAME).chat
        self._rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self._decoder = playback.decoder
        self._listen(playback, Engine.SAY_TEXT_2)
        if self._own is not None:
            self._listen(playback, message_number(self._game, self._own.name))

    def _listen(self, playback: Playback, number: int) -> None:
        playback.on_message(number, partial(self._on_message, number), full_packets=True)

    def _on_message(self, number: int, tick: int, payload: bytes) -> None:
        message = self._decoder.for_facts(tick, number, payload)
        if message is None:
            return
        seconds = tick / self._rate if self._rate is not None and tick >= 0 else None
        fields = message.fields or {}
        row = said(fields) if number == Engine.SAY_TEXT_2 or self._own is None else _said_in(self._own, fields)
        self._rows.append({"tick": tick, "seconds": seconds, **row})

    def tables(self) -> Mapping[str, pa.Table]:
        return {CHAT.name: CHAT.build_rows(self._rows)}


def said(fields: Mapping[str | int, Any]) -> dict[str, Any]:
    """Return the speaker, channel and text of SayText2.

    It names its speaker by entity (the player controller of a slot is entity slot + 1) and its channel by the
    token of the localised text (``DOTA_Chat_All``).
    """
    entity = fields.get("entityindex", -1)
    return {
        "player": entity - 1 if entity > 0 else None,
        "name": fields.get("param1"),
        "channel": fields.get("messagename"),
        "text": fields.get("param2"),
    }


def _said_in(own: GameChat, fields: Mapping[str | int, Any]) -> dict[str, Any]:
    """Return the player, channel and text of a game's own message for chat."""
    channel = fields.get(own.channel, 0)
    return {
        "player": fields.get(own.player, -1),
        "channel": own.channels.get(channel, f"channel {channel}"),
        "text": fields.get(own.text),
    }


@TABLES.maker_of(GAME_EVENTS)
class GameEvents(Collector):
    """Table ``game_events``."""

    jobs: ClassVar = Jobs(anew=True)
    events: ClassVar = (
        EventSource(
            "game_event_fired",
            "An event that the game's own code fired: `event` is its name, `values` its values by name.",
            "game_events",
            player="",
            names=(("fields", "values"),),
        ),
    )

    def __init__(self, recording: Recording) -> None:
        self._rate = recording.ticks_per_second
        self._found: list[GameEvent] = []

    def attach(self, playback: Playback) -> None:
        playback.on_game_event(self._found.append)

    def tables(self) -> Mapping[str, pa.Table]:
        events = self._found
        ticks = array_of([event.tick for event in events], pa.int32())
        table = GAME_EVENTS.build(
            {
                "tick": ticks,
                "seconds": seconds_of(ticks, self._rate),
                "event": array_of([event.name for event in events], pa.string()).dictionary_encode(),
                "descriptor_id": [event.descriptor_id for event in events],
                "fields": [to_json(event.fields) for event in events],
                "server_tick": [event.server_tick for event in events],
            }
        )
        return {GAME_EVENTS.name: table}


@TABLES.maker_of(USER_MESSAGES)
class UserMessages(Collector):
    """Table ``user_messages``."""

    jobs: ClassVar = Jobs(18, anew=True)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def attach(self, playback: Playback) -> None:
        self._rows = UserMessageRows(playback.decoder, playback.room)
        playback.on_user_message(self._rows)

    def tables(self) -> Mapping[str, Built]:
        return self.joined(())

    def part(self) -> tuple[pa.Table, PackedText]:
        """Return the rows, and the bytes of the messages that have fields."""
        rows = self._rows
        rows.close()
        ticks, numbers = rows.ticks.to_arrow(), rows.numbers.to_arrow()
        table = pa.table({"tick": ticks, "message_id": numbers, "data": rows.undecodable.read()})
        return table, rows.decodable

    def joined(self, earlier: Sequence[Any]) -> Mapping[str, Built]:
        from playhead.tables.deferred import DeferredTable

        parts = [*earlier, self.part()]
        kept = join_tables([table for table, _ in parts])
        payloads, *later = (packed for _, packed in parts)
        for packed in later:
            payloads.extend(packed)
        game, rate = self._recording.game, self._recording.ticks_per_second
        names = message_names(game)

        def begin(wanted: Sequence[str]) -> Maker:
            decoder = MessageDecoder(game)
            texts = MessageTexts(
                kept["message_id"].combine_chunks(),
                payloads,
                decoder.plan,
                lambda number, payload: decoder.decode(0, number, payload).fields,
            )

            def make(first: int, count: int) -> dict[str, pa.ChunkedArray]:
                rows = kept.slice(first, count)
                numbers = rows["message_id"]
                made = {}
                if "seconds" in wanted:
                    made["seconds"] = seconds_of(rows["tick"], rate)
                if "message" in wanted:
                    made["message"] = named(numbers, names)
                if "fields" in wanted:
                    made["fields"] = texts.read(first, count)
                return made

            return make

        table = DeferredTable(USER_MESSAGES.arrow(), len(kept), kept, begin, payloads.nbytes)
        return {USER_MESSAGES.name: table}


class MessageCheck(Collector):
    """Decodes every message for the game's own code, and those of `numbers`, for the problems alone.

    Args:
        of_user: also those for the game's own code; `UserMessages`, if requested, has decoded them.
    """

    jobs: ClassVar = Jobs(anew=True)

    def __init__(self, numbers: frozenset[int] = frozenset(), *, of_user: bool = True) -> None:
        self._more = [number for number in sorted(numbers) if number < FIRST_USER_MESSAGE]
        self._of_user = of_user

    def attach(self, playback: Playback) -> None:
        if self._of_user:
            playback.on_user_message(DecodingCheck(playback.decoder))
        playback.on_game_event(lambda _event: None)
        for number in self._more:
            playback.on_message(number, DecodingCheck(playback.decoder))

    def tables(self) -> Mapping[str, pa.Table]:
        return {}


# -- one by one -------------------------------------------------------------------------------------------------


def messages_of(
    playback: Playback, game: str, names: tuple[str | int, ...], *, by_priority: bool = False
) -> Iterator[Message]:
    """Return the messages of these names, or all, as the recording is played for them.

    Args:
        by_priority: order those of a packet by `priority_of`.

    Raises:
        KeyError: the game has no message of that name.
    """
    decoder = MessageDecoder(game)
    wanted = decoder.numbers(names)
    read = wanted | {Engine.USER_MESSAGE}
    lowest = NOTHING if names else 0
    found: list[Message] = []

    def on_packet(_frame_number: int, frame: Frame, data: bytes) -> None:
        packed: list[tuple[int, bytes]] = []
        try:
            PacketReader(data).collect(packed, read, lowest)
        finally:
            if by_priority:
                packed.sort(key=priority_of)
            for number, payload in packed:
                try:
                    if number == Engine.USER_MESSAGE and number not in wanted:
                        number, payload = unwrap(payload)
                        if names and number not in wanted:
                            continue
                    found.append(decoder.decode(frame.tick, number, payload))
                except ReplayError as error:
                    playback.decoder.report(error, number)

    playback.on_packet_data(on_packet)
    return _played(playback, found)


def game_events_of(playback: Playback, names: Collection[str]) -> Iterator[GameEvent]:
    """Return the game events of these names or patterns, or all, as the recording is played for them.

    Raises:
        KeyError: after the last event, the recording's list of events has no such name.
    """
    found: list[GameEvent] = []
    fits = re.compile("|".join(map(translate, names))).fullmatch if names else None

    def on_event(event: GameEvent) -> None:
        if fits is None or (event.name is not None and fits(event.name)):
            found.append(event)

    playback.on_game_event(on_event)
    yield from _played(playback, found)
    known = playback.decoder.event_names
    if known:
        choose_names(names, known, "game event")


def _played(playback: Playback, found: list[_T]) -> Iterator[_T]:
    """Yield what handlers put into `found`, frame by frame."""
    for _ in playback.steps():
        if found:
            yield from found
            found.clear()
