"""Facts of a map: its levels; corners of the radar, bomb sites and rescue zones; areas of the nav mesh.

An overview (``resource/overviews/de_nuke.txt``) has the height between the levels (``verticalsections``) and the
scale of its picture, which is 1,024 pixels wide. The lower level is drawn one picture below the upper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from playhead.cs2.sources.pawn import PLACE_FIELDS, place
from playhead.presentation.map import Levels
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.tables.value_arrays import array_of

_PIXELS = 1024
#: Height between the levels and scale of the picture, by map.
_MAPS = {"de_nuke": (-495.0, 7.0), "de_vertigo": (11700.0, 4.0), "de_train": (-50.0, 4.082077)}
CORNER, SITE = "corner", "bomb site"
#: Words of the kinds by class.
_WORDS = {"CCSMinimapBoundary": CORNER, "CBombTarget": SITE, "CHostageRescueZone": "rescue zone"}
_MINS, _MAXS = "m_vecMins", "m_vecMaxs"
#: The entity that knows the middles of the bomb sites, by letter.
_RESOURCE = "CCSPlayerResource"
_CENTRES = {"A": "m_bombsiteCenterA", "B": "m_bombsiteCenterB"}


def levels(replay: Any) -> Levels | None:
    """Return the levels of the map of a replay; None for one level."""
    known = _MAPS.get((replay.brief_info.map or "").rpartition("/")[2])
    return None if known is None else Levels(known[0], known[1] * _PIXELS)


def sites(replay: Any) -> Iterator[tuple[str, float, float, float | None, str]]:
    """Yield kind, middle, height and letter (of a bomb site) of each such thing in the middle of the recording.

    The game makes its radar from four entities, each at an edge of the playable map.
    """
    fields = frozenset((*PLACE_FIELDS, _MINS, _MAXS, *_CENTRES.values()))
    playback = replay.playback(
        (),
        wanted=lambda name: fields.__contains__ if name in _WORDS or name == _RESOURCE else None,
        on_problem=lambda *_: None,
    )
    playback.seek((replay.first_tick + (replay.brief_info.duration_ticks or 0)) // 2)
    known = [entity for entity in playback.entities if entity.class_name == _RESOURCE and entity.active]
    held = {letter: entity.get(field) for entity in known for letter, field in _CENTRES.items()}
    centres = {letter: middle for letter, middle in held.items() if isinstance(middle, tuple)}
    for entity in playback.entities:
        word = _WORDS.get(entity.class_name)
        if word is None or not entity.active:
            continue
        x, y, z = place(entity)
        low, high = entity.get(_MINS), entity.get(_MAXS)
        if isinstance(low, tuple) and isinstance(high, tuple):  # relative to the entity
            x, y, z = ((at or 0.0) + (one + two) / 2 for at, one, two in zip((x, y, z), low, high, strict=True))
        if x is not None and y is not None:
            far = {letter: math.hypot(x - one, y - two) for letter, (one, two, *_) in centres.items()}
            yield word, x, y, z, min(far, key=far.__getitem__, default="") if word == SITE else ""


#: Folder of the game, in Steam's folder of applications.
APP = "Counter-Strike Global Offensive/game/csgo"


def with_areas(table: pa.Table, map_name: str) -> pa.Table:
    """Return a table with a column ``area_id`` for each group of columns ``x``, ``y``, ``z``; of those with a role
    such as ``attacker_x``, ``attacker_area_id``.

    Raises:
        ValueError: no installed game has the map, or the table has no places.
        ReplayError, OSError: a file of the game cannot be read.
    """
    from playhead.source2.game_files.nav import installed_nav

    names = set(table.column_names)
    roles = [name[:-1] for name in table.column_names if name == "x" or name.endswith("_x")]
    roles = [role for role in roles if {f"{role}y", f"{role}z"} <= names]
    if not roles:
        raise ValueError("the table has no places, so no areas")
    mesh = installed_nav(APP, map_name.rpartition("/")[2])
    if mesh is None:
        raise ValueError(
            f"no installed game has the nav mesh of {map_name or 'the map'}: maps/{map_name}.vpk of CS2 "
            "(PLAYHEAD_GAME_FILES names the folder with Steam's games)"
        )
    for role in roles:
        places = zip(*(table[f"{role}{axis}"].to_pylist() for axis in "xyz"), strict=True)
        known = [None if None in place else mesh.area_at(*place) for place in places]
        table = table.append_column(f"{role}area_id", array_of(known, pa.int64()))
    return table
