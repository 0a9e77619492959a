"""Folders in which games keep their files on this machine, in one table by platform.

The viewer draws on the map that it finds there. Nothing is downloaded, and nothing else is read.
The environment variable ``PLAYHEAD_GAME_FILES`` replaces them: ``off`` for none, or folders.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE, OFF = "PLAYHEAD_GAME_FILES", "off"

#: Steam's folder on Windows.
_STEAM = "$STEAM"

_CACHE = "ProgramData/Blizzard Entertainment/Battle.net/Cache"
_STEAM_CACHE = f"steamapps/compatdata/*/pfx/drive_c/{_CACHE}"
_LINUX_STEAM = (
    *("~/.steam/steam", "~/.local/share/Steam", "~/.steam/debian-installation"),
    *("~/.var/app/com.valvesoftware.Steam/.local/share/Steam", "~/snap/steam/common/.local/share/Steam"),
)
#: Folders by content and platform. ``~`` and ``$NAME`` are expanded, ``*`` is any folder.
FOLDERS = {
    "Battle.net's cache": {
        "win32": ("$PROGRAMDATA/Blizzard Entertainment/Battle.net/Cache",),
        "darwin": ("/Users/Shared/Blizzard/Battle.net/Cache",),
        "linux": (
            *(f"~/.wine/drive_c/{_CACHE}", f"~/Games/*/drive_c/{_CACHE}"),
            *(f"{steam}/{_STEAM_CACHE}" for steam in _LINUX_STEAM),
        ),
    },
    "DDNet": {
        "win32": (
            *("$APPDATA/DDNet", "$APPDATA/Teeworlds"),
            f"{_STEAM}/steamapps/common/DDraceNetwork/ddnet/data",
        ),
        "darwin": (
            *("~/Library/Application Support/DDNet", "~/Library/Application Support/Teeworlds"),
            "/Applications/DDNet.app/Contents/Resources/data",
        ),
        "linux": (
            *("$XDG_DATA_HOME/ddnet", "~/.local/share/ddnet", "~/.teeworlds"),
            *("/usr/share/games/ddnet/data", "/usr/share/ddnet/data", "/usr/local/share/ddnet/data"),
            *(f"{steam}/steamapps/common/DDraceNetwork/ddnet/data" for steam in _LINUX_STEAM),
        ),
    },
    "Steam": {"win32": (_STEAM,), "darwin": ("~/Library/Application Support/Steam",), "linux": _LINUX_STEAM},
}
#: Limits of the folders that a ``*`` stands for, of the libraries of Steam, and of their list.
_MOST_FOLDERS, _MOST_LIBRARIES, _MOST_LIST = 64, 32, 1 << 20
#: Limit of the map files beside a recording that are looked at.
_MOST_BESIDE = 32
_LIBRARY = re.compile(r'"path"\s+"((?:[^"\\]|\\.)*)"')


def folders(kind: str) -> list[Path]:
    """Return the folders of a kind of `FOLDERS` that exist, or those of ``PLAYHEAD_GAME_FILES``."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        names = () if given.lower() == OFF else tuple(filter(None, given.split(os.pathsep)))
    else:
        names = FOLDERS[kind].get(sys.platform, FOLDERS[kind]["linux"])
    found = [path for name in names for path in _expanded(name)]
    return list(dict.fromkeys(path for path in found if path.is_dir()))


def _expanded(name: str) -> Iterator[Path]:
    if name.startswith(_STEAM):
        name = name.replace(_STEAM, steam_of_windows(), 1)
    text = os.path.expanduser(os.path.expandvars(name))
    path = Path(text)
    if "$" in text or not path.is_absolute():  # a variable that is not set
        return
    if "*" not in path.parts:
        yield path
        return
    place = path.parts.index("*")
    base, rest = Path(*path.parts[:place]), path.parts[place + 1 :]
    try:
        inner = sorted(entry.path for entry in os.scandir(base) if entry.is_dir())[:_MOST_FOLDERS]
    except OSError:
        return
    for each in inner:
        yield Path(each, *rest)


def beside(location: str | None, suffixes: tuple[str, ...], most: int, size: int | None = None) -> Iterator[Path]:
    """Yield the files with one of these suffixes, in lower case, in the folder of a recording, in the order of
    their names: those of `size` bytes, or else of at most `most`; none for a recording without a path."""
    if not location or "://" in location:
        return
    left = _MOST_BESIDE
    try:
        entries = sorted(os.scandir(Path(location).parent), key=lambda entry: entry.name)
        for entry in entries:
            if left and entry.name.lower().endswith(suffixes) and entry.is_file():
                held = entry.stat().st_size
                if held == size or (size is None and held <= most):
                    left -= 1
                    yield Path(entry.path)
    except OSError:
        return


def steam_of_windows() -> str:
    """Return Steam's folder as the registry of Windows has it, or else the usual one."""
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Software\Valve\Steam") as key:
            return str(winreg.QueryValueEx(key, "SteamPath")[0])
    return "C:/Program Files (x86)/Steam"


def steam_apps() -> Iterator[Path]:
    """Yield the folders of applications of Steam's libraries."""
    libraries: dict[Path, None] = {}
    for steam in folders("Steam"):
        libraries[steam] = None
        try:
            with (steam / "steamapps" / "libraryfolders.vdf").open("rb") as file:
                text = file.read(_MOST_LIST).decode("utf-8", "replace")
        except OSError:
            continue
        for path in _LIBRARY.findall(text)[:_MOST_LIBRARIES]:
            libraries[Path(re.sub(r"\\(.)", r"\1", path))] = None
    for library in libraries:
        apps = library / "steamapps" / "common"
        if library.is_absolute() and apps.is_dir():
            yield apps
