"""Pictures of heroes in an installed game, for the players beside the map."""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import suppress

from playhead.errors import ReplayError
from playhead.presentation.installed import steam_apps
from playhead.source2.game_files.texture import read_texture
from playhead.source2.game_files.vpk import Vpk

_FOLDER = "panorama/images/heroes"
#: Pixels of a side, which the page shows in 38.
_SIDE = 76


def hero_pictures(app: str, names: Iterable[str]) -> dict[str, bytes]:
    """Return a square PNG by name of a hero, as the texture of its picture is called, for those that the game has;
    a picture that cannot be read is left out.

    Args:
        app: folder of the game's pack, in the folder of all applications: ``dota 2 beta/game/dota``.
        names: names of heroes, as ``npc_dota_hero_axe``.

    Raises:
        ReplayError, OSError: the pack cannot be read.
        ModuleNotFoundError: Pillow is not installed (extra ``view``).
    """
    wanted = set(names)
    found: dict[str, bytes] = {}
    for apps in steam_apps() if wanted else ():
        path = apps / app / "pak01_dir.vpk"
        if not path.is_file():
            continue
        pack = Vpk(path, (_FOLDER,))
        for name in sorted(wanted - set(found)):
            file = f"{_FOLDER}/{name}_png.vtex_c"
            if file in pack:
                with suppress(ReplayError, OSError):
                    found[name] = _square(read_texture(pack.read(file), file))
    return found


def _square(image: object) -> bytes:
    """Return the middle of a picture, which is wider than high, as PNG."""
    from PIL import ImageOps
    from PIL.Image import Image

    assert isinstance(image, Image)
    out = io.BytesIO()
    ImageOps.fit(image.convert("RGB"), (_SIDE, _SIDE)).save(out, "PNG")
    return out.getvalue()
