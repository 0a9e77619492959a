"""From what a user names to files: folders, patterns and lists become the files that they mean.

`expand_inputs` takes paths and URLs as they are; a folder is everything below it, ``*``, ``?``, ``[…]`` and ``**``
are patterns (unless a file has that very name), and ``@list.txt`` is a file with a name a line, ``@-`` the same on
standard input. The folder of a broadcast is one replay, as a file is; a zip or tar pack is what it holds
(`playhead.io.packs`). What a folder or pattern gives comes in
natural order of names (``game2`` before ``game10``), and no file comes twice, by whatever name. Hidden files are
left out of folders and patterns, as a shell does.

Nothing is opened: whether a file is a replay is for the reader to say (`playhead.registry.is_replay`).
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from playhead.io.fragments import is_broadcast_folder
from playhead.io.packs import is_pack, list_pack, split_member
from playhead.runtime.records import dataclass, field, replace

#: The name of standard input: one replay, not a list of names.
STDIN = "-"

_LIST = "@"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file to read.

    Attributes:
        path: its path (of a broadcast the folder's) or URL; `STDIN` for standard input.
        named: it was named itself, on the command line or in a list, and not found in a folder or by a pattern.
            What is found and is no replay is passed over; what is named has to be one.
        size: bytes as stored; None where that is not known without opening it.
        changed: when what it was found in says that it changed last, in seconds since 1970; 0 where that is not
            known.
        error: why there is no file: a folder or list that cannot be read, a pattern that nothing fits.
    """

    path: str
    named: bool
    size: int | None = None
    changed: float = field(default=0.0, compare=False)
    error: OSError | None = None


def is_one_file(name: str) -> bool:
    """Whether a name can only mean one file: no folder, pattern or list."""
    if name.startswith(_LIST):
        return False
    if _is_url(name):
        return not _is_remote_set(name)
    if os.path.isdir(name):
        return _is_broadcast(name)
    if split_member(name) is not None:
        return True
    return not is_pack(name) if os.path.exists(name) else not glob.has_magic(name)


def expand_inputs(names: Iterable[str | os.PathLike[str]], stdin: TextIO | None = None) -> Iterator[InputFile]:
    """Iterate over the files that `names` mean: in the order of the names, each once.

    A folder that cannot be listed, a list that cannot be read and a pattern that fits nothing come as an
    `InputFile` with an `error`; a file that does not exist comes as it is named.

    Args:
        names: paths, URLs, folders, patterns, lists (see the module).
        stdin: what ``@-`` reads; the process's standard input by default.
    """
    meant = [each for name in names for each in _expand(os.fspath(name), stdin)]
    files = [name for name in meant if isinstance(name, str) and is_one_file(name)]
    # What is found first and named later was named all the same.
    named = {_key(name) for name in files} if len(files) < len(meant) else set()
    seen: set[str] = set()
    for name in meant:
        for found in _one(name) if isinstance(name, str) else [name]:
            key = _key(found.path)
            if key not in seen:
                seen.add(key)
                yield replace(found, named=True) if key in named and not found.named else found


def _key(path: str) -> str:
    """What is the same for all names of a file."""
    return path if _is_url(path) or path == STDIN else os.path.realpath(path)


def natural_key(text: str) -> tuple[list[str | int], str]:
    """Return a key that sorts numbers in names by their value and letters whatever their case."""
    parts = re.split(r"(\d+)", text.casefold())
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], text


def _expand(name: str, stdin: TextIO | None) -> Iterator[str | InputFile]:
    """A name, or those of a list."""
    if name.startswith(_LIST):
        yield from _listed(name, stdin)
    else:
        yield name


def _listed(name: str, stdin: TextIO | None) -> Iterator[str | InputFile]:
    """What a list names: a name a line (or ended by NUL, of ``find -print0``), none of them a list again."""
    path = name.removeprefix(_LIST)
    try:
        if path == STDIN:
            text = (stdin or sys.stdin).read()
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
    except OSError as error:
        yield InputFile(name, True, error=error)
        return
    if "\0" in text:
        lines = text.split("\0")
    else:
        lines = [line for line in map(str.strip, text.splitlines()) if not line.startswith("#")]
    yield from filter(None, lines)


def _one(name: str) -> Iterator[InputFile]:
    if name == STDIN:
        yield InputFile(name, True)
    elif _is_url(name):
        yield from _remote(name) if _is_remote_set(name) else [InputFile(name, True)]
    elif os.path.isdir(name):
        yield from _folder(name, named=True)
    elif os.path.isfile(name) and is_pack(name):
        yield from _packed(name)
    elif os.path.exists(name) or not glob.has_magic(name) or split_member(name) is not None:
        yield InputFile(name, True, _size(name))
    else:
        yield from _fitting(name)


def _is_broadcast(folder: str) -> bool:
    try:
        return is_broadcast_folder(folder)
    except OSError:  # whoever lists it meets that again, and reports it
        return False


def _fitting(pattern: str) -> Iterator[InputFile]:
    """What fits a pattern; folders among it are gone through."""
    paths = sorted(glob.iglob(pattern, recursive=True), key=natural_key)
    if not paths:
        yield InputFile(pattern, True, error=FileNotFoundError(f"{pattern}: no file fits this pattern"))
    for path in paths:
        if os.path.isdir(path):
            yield from _folder(path, named=False)
        elif os.path.isfile(path):
            yield from _packed(path) if is_pack(path) else [InputFile(path, False, _size(path))]


def _packed(pack: str) -> Iterator[InputFile]:
    """The members of a pack."""
    return _contents(pack, list_pack)


def _contents(name: str, look: Callable[[str], Iterable[tuple[str, int | None, float]]]) -> Iterator[InputFile]:
    """What `look` finds in `name`, in natural order."""
    try:
        found = sorted(look(name), key=lambda each: natural_key(each[0]))
    except OSError as error:
        yield InputFile(name, True, error=error)
        return
    for path, size, changed in found:
        yield InputFile(path, False, size, changed)


def _folder(folder: str, *, named: bool, above: frozenset[str] = frozenset()) -> Iterator[InputFile]:
    """The folder of a broadcast as one file, any other as what is below it."""
    yield from [InputFile(folder, named)] if _is_broadcast(folder) else _in_folder(folder, above)


def _in_folder(folder: str, above: frozenset[str]) -> Iterator[InputFile]:
    """Ordinary files below a folder, links followed but for one that leads back up."""
    real = os.path.realpath(folder)
    if real in above:
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted((each for each in entries if not each.name.startswith(".")), key=_entry_key)
    except OSError as error:
        yield InputFile(folder, True, error=error)
        return
    for entry in found:
        try:
            if entry.is_dir():
                yield from _folder(entry.path, named=False, above=above | {real})
            elif entry.is_file() and is_pack(entry.path):
                yield from _packed(entry.path)
            elif entry.is_file():
                yield InputFile(entry.path, False, entry.stat().st_size)
        except OSError as error:  # it went away, or may not be looked at
            yield InputFile(entry.path, True, error=error)


def _entry_key(entry: os.DirEntry[str]) -> tuple[list[str | int], str]:
    return natural_key(entry.name)


def _size(path: str) -> int | None:
    """Return the size of an ordinary file; None for a pipe, or if there is none."""
    try:
        return os.stat(path).st_size if os.path.isfile(path) else None
    except OSError:
        return None


# -- behind URLs --------------------------------------------------------------------------------------------------


def _is_url(name: str) -> bool:
    return "://" in name


def _is_remote_set(url: str) -> bool:
    """Whether a URL is a folder (it ends in ``/``) or a pattern; over HTTP each is one file, and ``?`` a query."""
    return not url.startswith(("http://", "https://")) and (url.endswith("/") or glob.has_magic(url))


def _remote(url: str) -> Iterator[InputFile]:
    from playhead.io.remote import list_remote

    none = FileNotFoundError(f"{url}: there is no such file")
    found = _contents(url, list_remote)
    yield next(found, InputFile(url, True, error=none))
    yield from found
