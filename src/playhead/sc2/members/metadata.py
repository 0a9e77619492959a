"""The game's summary (``replay.gamemetadata.json``, from 3.4 on) and loading screen (``replay.load.info``).

The latter is undocumented, all little-endian, in every build from 0.19 on. This layout decodes 304 replays to the
last byte. Only two of them, arcade maps with their own loading screen, have more than zeros, a picture and
``BattleNet``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from playhead.bits import ByteReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime.records import dataclass

#: Real ones have less than 4 kB; a parsed JSON text takes many times its size.
MAX_SIZE = 1 << 20
# Above every number of a player; a column of tables must hold it.
_MOST_PLAYERS = 256


@dataclass(frozen=True, slots=True)
class MetadataPlayer:
    """One player.

    Attributes:
        player: the game's own number, from 1. In archon mode and on some arcade maps it does not match the player
            list of the details.
        apm: actions a minute, as the game counts.
        mmr: matchmaking rating; only in ladder games.
        result: ``Win``, ``Loss``, ``Tie``, ``Undecided``.
        selected_race, assigned_race: first four letters of the English name; selected may be ``Rand``.
    """

    player: int
    apm: float | None
    mmr: float | None
    result: str | None
    selected_race: str | None
    assigned_race: str | None


@dataclass(frozen=True, slots=True)
class GameMetadata:
    """The decoded member; fields that a build does not write are None.

    Attributes:
        duration: length of the game in "normal" seconds of 16 loops, rounded; also in replays whose clock shows
            seconds at speed "faster" (verified on 117 files).
        is_not_available: the game's own flag that it could not make the summary.
        raw: everything, as JSON objects.
    """

    title: str | None
    map_name: str | None
    game_version: str | None
    base_build: str | None
    data_build: str | None
    data_version: str | None
    duration: float | None
    is_not_available: bool
    players: tuple[MetadataPlayer, ...]
    raw: Mapping[str, Any]


def _text(source: Mapping[str, Any], key: str) -> str | None:
    value = source.get(key)
    # JSON can spell lone surrogates, which are not text.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


def _number(source: Mapping[str, Any], key: str) -> float | None:
    value = source.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1 << 53:
        return None  # also what is not a number
    return value


def _player(value: object) -> MetadataPlayer:
    number = value.get("PlayerID") if isinstance(value, dict) else None
    if not isinstance(value, dict) or isinstance(number, bool) or not isinstance(number, int):
        raise CorruptReplay("expected every player to be an object with a PlayerID")
    if not 0 <= number < _MOST_PLAYERS:
        raise CorruptReplay(f"expected every PlayerID from 0 to {_MOST_PLAYERS - 1}, found {number:#x}")
    return MetadataPlayer(
        player=number,
        apm=_number(value, "APM"),
        mmr=_number(value, "MMR"),
        result=_text(value, "Result"),
        selected_race=_text(value, "SelectedRace"),
        assigned_race=_text(value, "AssignedRace"),
    )


def read_metadata(data: bytes) -> GameMetadata:
    """Decode the member, which may begin with a byte order mark.

    Raises:
        CorruptReplay: invalid UTF-8 or JSON, or another shape.
        LimitExceeded: more than `MAX_SIZE` bytes.
    """
    if len(data) > MAX_SIZE:
        raise LimitExceeded(f"expected at most {MAX_SIZE} bytes of JSON, found {len(data)}")
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CorruptReplay(f"expected JSON text: {error}") from None
    if not isinstance(raw, dict):
        raise CorruptReplay(f"expected a JSON object, found {type(raw).__name__}")
    players = raw.get("Players", [])
    if not isinstance(players, list):
        raise CorruptReplay(f"expected Players to be a list, found {type(players).__name__}")
    return GameMetadata(
        title=_text(raw, "Title"),
        map_name=_text(raw, "MapName"),
        game_version=_text(raw, "GameVersion"),
        base_build=_text(raw, "BaseBuild"),
        data_build=_text(raw, "DataBuild"),
        data_version=_text(raw, "DataVersion"),
        duration=_number(raw, "Duration"),
        is_not_available=raw.get("IsNotAvailable") is True,
        players=tuple(_player(entry) for entry in players),
        raw=raw,
    )


_TEXTS = 4
#: 10 numbers, 11 in 2.5.0.
_NUMBERS = (10, 11)


@dataclass(frozen=True, slots=True)
class LoadInfo:
    """The decoded member.

    Attributes:
        texts: four texts of the loading screen; in the known replays only the last, the map's hints, is used.
        image: path of the picture; empty if the map does not choose one, and mostly from 2.0 on.
        screen: ``BattleNet`` for the usual screen up to 1.5, else empty.
        numbers: ten 32-bit numbers, eleven in 2.5.0. Numbers 5 and 6 are width and height (800 and 600), and
            number 1 seems to be the scaling of the picture.
    """

    texts: tuple[str, ...]
    image: str
    screen: str
    numbers: tuple[int, ...]


def read_load_info(data: bytes) -> LoadInfo:
    """Decode the member to its last byte.

    Raises:
        TruncatedReplay, CorruptReplay: it ends too early or too late.
    """
    reader = ByteReader(data)
    texts = [decode_text(reader.read_bytes(reader.read_u16())) for _ in range(_TEXTS + 2)]
    count = reader.remaining() // 4
    if reader.remaining() % 4 or count not in _NUMBERS:
        raise CorruptReplay(
            f"expected 10 or 11 numbers of 4 bytes after the texts, found {reader.remaining()} bytes",
            offset=reader.tell(),
        )
    numbers = tuple(reader.read_u32() for _ in range(count))
    return LoadInfo(tuple(texts[:_TEXTS]), texts[_TEXTS], texts[_TEXTS + 1], numbers)
