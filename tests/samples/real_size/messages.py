"""The messages of the match of real size: those of the small one, and many more."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterator
from random import Random
from typing import Any

from tests.samples.real_size import measures
from tests.samples.real_size.templates import LOG_NAMES, Templates
from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.match_names import ability_name
from tests.samples.source2.match_schema import ABILITIES_A_HERO, HEROES
from tests.samples.source2.modifiers import NAMES as STORY_MODIFIERS
from tests.samples.source2.modifiers import encode_modifier
from tests.samples.source2.recording import StringTables, numbered_entries

from playhead.dota2.sources.combat_log import NAMES as LOG_TABLE
from playhead.source2.writing.demo import InnerMessage, StringTableEntry, update_string_table

_ACTIVE = 5
_CHAT = ("gg", "ward please", "missing mid", "push top now", "back", "care, smoke", "nice", "wait for me", "ok")
_CHANNELS = (11, 12)
_STEP = 2  # ticks per packet
_OWN = 10 * ABILITIES_A_HERO
#: Estimated: entries of a change of ActiveModifiers, and the range of a modifier's duration, in seconds.
_ENTRIES, _SECONDS = (1, 1, 1, 2, 3), (2.0, 20.0)


def _names() -> list[str]:
    """Return the entries of ModifierNames: the story's first, then as many as in a real recording."""
    every = (
        f"modifier_{hero.lower()}_{number}" for number in range(1, measures.MODIFIER_NAMES) for hero in HEROES
    )
    own = [f"modifier_{ability_name(player, i + 1)}" for player in range(10) for i in range(ABILITIES_A_HERO)]
    names = [*STORY_MODIFIERS, *own]
    while len(names) < measures.MODIFIER_NAMES:
        names.append(next(every))
    return names


class RealMessages(SampleMessages):
    """The messages of a match of real size.

    Attributes:
        counts: number of messages sent so far besides those of the story, by message number.
        chat: tick, player, channel and text of every line of chat besides the story's.
        modifiers_told: modifiers besides the story's, with the columns of the table ``modifiers``.
    """

    def __init__(self, match: SyntheticMatch, minutes: float, seed: int = 13) -> None:
        super().__init__()
        self._random = Random(seed)
        self._course = measures.Course(minutes)
        self.templates = Templates(match)
        self.counts: Counter[int] = Counter()
        self.chat: list[tuple[int, int, int, str]] = []
        self.modifiers_told: list[dict[str, Any]] = []
        self._names = _names()
        self._serial = 1 << 16
        self._running: list[tuple[int, int, int, dict[str, Any]]] = []
        self._free: list[int] = []
        # Tick, position in the deck and number of messages; tick and number of each template of the log.
        self._sent, self._logged = array("i"), array("i")

    # -- state -----------------------------------------------------------------------------------------

    def sent(self) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield tick, definition and fields of every message from the deck."""
        deck = self.templates.messages
        for i in range(0, len(self._sent), 3):
            tick, first, count = self._sent[i : i + 3]
            for kind, fields, _ in deck[first : first + count]:
                yield tick, kind, fields

    def logged(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield tick and fields of every combat-log entry besides the story's, without its times."""
        for i in range(0, len(self._logged), 2):
            yield self._logged[i], self.templates.entries[self._logged[i + 1]].fields

    # -- tables -----------------------------------------------------------------------------------------

    def string_tables(self) -> StringTables:
        """Return the current string tables, some with more entries than the small match's."""
        longer = {LOG_TABLE: numbered_entries(LOG_NAMES), "ModifierNames": numbered_entries(self._names)}
        return {**super().string_tables(), **longer}

    # -- ticks -----------------------------------------------------------------------------------------

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the messages in the packet of a tick."""
        said = super().at(tick, match)
        pauses = match.story.pauses
        if pauses and tick < pauses[-1]["end_tick"]:
            return said
        activity = self._course.activity(tick / TICKS_PER_SECOND)
        random = self._random.random
        if tick == _STEP:
            said.append(self._begin(tick, match))
        elif random() < measures.STRING_TABLE_UPDATES:
            said.append(self._change_modifiers(tick, match))
        if random() * measures.CHAT_EVERY * TICKS_PER_SECOND < _STEP:
            said.append(self._chat(tick))
        most = (
            measures.BEFORE_HORN.messages + (measures.MID_GAME.messages - measures.BEFORE_HORN.messages) * activity
        )
        count = int(most * (0.5 + random()) + random())
        logged = int(count * measures.COMBAT_LOG + random())
        raw = FIRST_SERVER_TICK + tick
        times = (raw - match.story.paused_ticks(tick)) / TICKS_PER_SECOND, raw / TICKS_PER_SECOND
        entries = self.templates.entries
        for _ in range(logged):
            number = int(random() * len(entries))
            self._logged.extend((tick, number))
            said.append(entries[number].at(*times))
        rest = count - logged
        first = int(random() * (len(self.templates.deck) - rest))
        self._sent.extend((tick, first, rest))
        sent = self.templates.deck[first : first + rest]
        self.counts.update([number for number, _ in sent])
        said += sent
        return said

    def _chat(self, tick: int) -> InnerMessage:
        player, channel = self._random.randrange(10), self._random.choice(_CHANNELS)
        text = self._random.choice(_CHAT)
        self.chat.append((tick, player, channel, text))
        line = {"source_player_id": player, "channel_type": channel, "message_text": text}
        return encode_message("dota2", "CDOTAUserMsg_ChatMessage", line)

    # -- modifiers --------------------------------------------------------------------------------------

    def _begin(self, tick: int, match: SyntheticMatch) -> InnerMessage:
        """Return permanent modifiers, such as those of heroes' abilities and items."""
        return self._update(
            [self._new_modifier(tick, match, lasting=True) for _ in range(measures.ACTIVE_MODIFIERS)]
        )

    def _change_modifiers(self, tick: int, match: SyntheticMatch) -> InnerMessage:
        due = [entry for entry in self._running if entry[0] <= tick]
        self._running = [entry for entry in self._running if entry[0] > tick]
        ended = []
        for _, place, serial, row in due:
            row["end_tick"] = tick
            self._free.append(place)
            ended.append((place, str(place).encode(), encode_modifier(row, serial, 0, tick, None)))
        changed: dict[int, StringTableEntry] = {entry[0]: entry for entry in ended}
        for _ in range(self._random.choice(_ENTRIES)):
            entry = self._new_modifier(tick, match, but=changed)
            changed[entry[0]] = entry
        return self._update([changed[place] for place in sorted(changed)])

    def _update(self, entries: list[StringTableEntry]) -> InnerMessage:
        self.modifiers.entries.update({entry[0]: entry for entry in entries})
        return update_string_table(_ACTIVE, entries)

    def _new_modifier(
        self, tick: int, match: SyntheticMatch, *, lasting: bool = False, but: Container[int] = ()
    ) -> StringTableEntry:
        """Return an entry for a modifier of a hero, at a free index or at the end."""
        random = self._random
        hero, caster = random.choice(match.heroes), random.choice(match.heroes)
        number = len(STORY_MODIFIERS) + random.randrange(_OWN)
        row: dict[str, Any] = {
            "tick": tick,
            "player": hero.player,
            "modifier": self._names[number],
            "caster_player": caster.player,
            "handle": match.handle_of(hero.index),
        }
        place = next((place for place in self._free if place not in but), None)
        if place is None:
            place = len(self.modifiers.entries)
        else:
            self._free.remove(place)
        self._serial += 1
        if not lasting:
            row["planned_seconds"] = int(random.uniform(*_SECONDS) * 4) / 4
            until = tick + int(row["planned_seconds"] * TICKS_PER_SECOND)
            self._running.append((until, place, self._serial, row))
        self.modifiers_told.append(row)
        value = encode_modifier(row, self._serial, number, tick, match.handle_of(caster.index))
        self.modifiers.entries[place] = place, str(place).encode(), value
        return self.modifiers.entries[place]
