"""The areas of the nav mesh on which the places of a table are."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.source2.game_files.nav import installed_nav
from playhead.tables.value_arrays import array_of

#: Folder of the game, in Steam's folder of applications.
APP = "Counter-Strike Global Offensive/game/csgo"


def with_areas(table: pa.Table, map_name: str) -> pa.Table:
    """Return a table with a column ``area_id`` for each group of columns ``x``, ``y``, ``z``; of those with a role
    such as ``attacker_x``, ``attacker_area_id``.

    Raises:
        ValueError: no installed game has the map, or the table has no places.
        ReplayError, OSError: a file of the game cannot be read.
    """
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
