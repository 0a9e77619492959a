"""The sample: two minutes of the synthetic match with all its messages and its combat log."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.samples.source2 import engine as sample
from tests.samples.source2 import signals as sample_signals
from tests.samples.source2.combat_log import SampleCombatLog, name_entries
from tests.samples.source2.constants import TICKS_PER_SECOND
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.engine_messages import event_list, messages_at
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.match_demo import match_demo
from tests.samples.source2.match_names import ENTITY_NAMES
from tests.samples.source2.modifiers import NAMES as MODIFIER_NAMES
from tests.samples.source2.modifiers import SampleModifiers
from tests.samples.source2.recording import StringTables, numbered_entries

from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.io.atomic import write_whole
from playhead.source2.writing.demo import InnerMessage

MINUTES = 2.0
LAST_TICK = int(MINUTES * 60 * TICKS_PER_SECOND)

# Number of the string table: the engine's is 0, the others follow in the order of `string_tables`.
_ACTIVE_MODIFIERS = 5
# `player_slot` of Dire's first player.
_DIRE_SLOT = 128


def official_result(match: SyntheticMatch) -> dict[str, Any]:
    """Return the fields of the game's own summary of the match, at its end."""
    kills = {team: sum(hero.kills for hero in match.heroes if hero.team == team) for team in (RADIANT, DIRE)}
    return {
        "radiant_team_score": kills[RADIANT],
        "dire_team_score": kills[DIRE],
        "players": [
            {
                "player_slot": hero.player if hero.team == RADIANT else _DIRE_SLOT + hero.player - 5,
                "gold": hero.gold,
                "gold_per_min": int(hero.gold / MINUTES),
                "xp_per_min": int(hero.xp / MINUTES),
                "net_worth": hero.gold,
                **{name: getattr(hero, name) for name in ("kills", "deaths", "assists", "level", "last_hits")},
                "permanent_buffs": [{"permanent_buff": 2, "stack_count": 1}] if hero.player == 0 else [],
            }
            for hero in match.heroes
        ],
    }


class SampleMessages:
    """The messages of the synthetic match.

    Attributes:
        combat_log: the combat log, with the written entries.
    """

    def __init__(self) -> None:
        self.combat_log = SampleCombatLog()
        self.modifiers = SampleModifiers(_ACTIVE_MODIFIERS)
        self._said = 0

    def signon(self) -> list[InnerMessage]:
        """Return the messages before the game."""
        return [event_list(), *sample_signals.signon()]

    def string_tables(self) -> StringTables:
        """Return the current string tables."""
        return {
            "userinfo": sample.userinfo(),
            NAMES: name_entries(),
            "EntityNames": numbered_entries(ENTITY_NAMES),
            "ModifierNames": numbered_entries(MODIFIER_NAMES),
            "ActiveModifiers": list(self.modifiers.entries.values()),
        }

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the messages in the packet of a tick."""
        said = match.story.chat_events[self._said :]
        self._said = len(match.story.chat_events)
        return [
            *sample.chat_messages(tick),
            *messages_at(tick),
            *self.combat_log.at(tick, match),
            *self.modifiers.at(tick, match),
            *(encode_message("dota2", "CDOTAUserMsg_ChatEvent", line) for _, line in said),
            *sample_signals.messages_at(tick, match),
            *([encode_message("dota2", "CMsgDOTAMatch", official_result(match))] if tick == LAST_TICK else ()),
        ]

    def file_info(self, _match: SyntheticMatch) -> Mapping[str, Any]:
        """Return the match for FileInfo."""
        return {"game_info": sample.file_info()["game_info"]}


@cache
def sample_demo() -> tuple[bytes, SyntheticMatch, SampleMessages]:
    """Return the bytes of the sample, always the same, with its match and messages; a process writes it once."""
    messages = SampleMessages()
    data, match = match_demo(MINUTES, messages=messages)
    return data, match, messages


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem`` into `folder`; return its path."""
    path = folder / "sample_dota2.dem"
    write_whole(path, sample_demo()[0])
    return path
