"""Pictures of heroes and weapons in an installed game, for the players beside the map and the kill feed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from contextlib import suppress

from playhead.errors import ReplayError
from playhead.presentation.installed import steam_apps
from playhead.source2.game_files.texture import read_texture, read_vector
from playhead.source2.game_files.vpk import Vpk

#: Pixels of a side, which the page shows in 38.
_SIDE = 76


def installed_pictures(app: str, folder: str, wanted: Mapping[str, Iterable[str]]) -> dict[str, bytes]:
    """Return a picture for each name, as far as the game has one: a square PNG of a texture, or an SVG; a picture
    that cannot be read is skipped.

    Args:
        app: folder of the game's pack, in the folder of all applications: ``dota 2 beta/game/dota``.
        folder: the pictures' folder in the pack.
        wanted: files by name, the best first: ``npc_dota_hero_axe_png.vtex_c``, ``ak47.vsvg_c``.

    Raises:
        ReplayError, OSError: the pack cannot be read.
        ModuleNotFoundError: Pillow is not installed (extra ``view``).
    """
    found: dict[str, bytes] = {}
    for apps in steam_apps() if wanted else ():
        path = apps / app / "pak01_dir.vpk"
        if not path.is_file():
            continue
        pack = Vpk(path, (folder,))
        for name in wanted.keys() - found.keys():
            file = next((file for each in wanted[name] if (file := f"{folder}/{each}") in pack), None)
            if file is not None:
                with suppress(ReplayError, OSError):
                    found[name] = _picture(pack.read(file), file)
    return found


def _picture(data: bytes, file: str) -> bytes:
    """Return an SVG, or the middle of a texture as PNG: heroes of Dota 2 are wider than high."""
    if file.endswith(".vsvg_c"):
        return read_vector(data, file)
    from PIL import ImageOps

    out = io.BytesIO()
    ImageOps.fit(read_texture(data, file).convert("RGBA"), (_SIDE, _SIDE)).save(out, "PNG")
    return out.getvalue()
