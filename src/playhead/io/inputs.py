"""Expand the inputs that a user names: folders, patterns and lists become files.

`expand_inputs` passes paths and URLs through. A folder means all files below it; ``*``, ``?``, ``[…]`` and ``**``
are patterns (unless a file has exactly that name); ``@list.txt`` is a file with one name per line, and ``@-`` the
same on standard input. The folder of a broadcast is one replay, like a file; a zip or tar pack means its members
(`playhead.io.packs`). Files of a folder or pattern come in natural order of names (``game2`` before ``game10``),
each file once, even if it has several names. Names that begin with a dot are skipped in folders and patterns, as a
shell does; a warning has the number of those in folders.

No file is opened: the reader decides whether it is a replay (`playhead.registry.is_replay`).
"""

from __future__ import annotations

import errno
import glob
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from playhead.io.fragments import is_broadcast_folder
from playhead.io.packs import is_pack, is_url, list_pack, split_member
from playhead.limits import Limits
from playhead.runtime.records import dataclass, field, replace
from playhead.runtime.typing import TextIO
from playhead.text.names import any_of

#: The name of standard input: one replay, not a list of names.
STDIN = "-"

_LIST = "@"
_NO_MATCH = "no file matches this pattern"

#: Folders inside of each other that are searched.
_DEEPEST = 100

#: Lists the files in a pack or remote folder: full name, size and time of change.
_Look = Callable[[str], Iterable[tuple[str, int | None, float]]]


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file to read.

    Attributes:
        path: path or URL; for a broadcast the folder's path; `STDIN` for standard input.
        named: the file was named itself, on the command line or in a list. It must be a replay; files of folders
            and patterns are skipped without a replay's content or suffix.
        size: bytes as stored; None if unknown without opening it.
        changed: time of the last change according to its pack or remote listing, in seconds since 1970; 0 if
            unknown.
        error: why there is no file: a folder or list cannot be read, or a pattern matches nothing.
        hidden: names of a folder that begin with a dot; `expand_inputs` counts them and yields no such entry.
    """

    path: str
    named: bool
    size: int | None = None
    changed: float = field(default=0.0, compare=False)
    error: OSError | None = None
    hidden: int = field(default=0, repr=False)


def is_one_file(name: str) -> bool:
    """Return whether a name can only mean one file: no folder, pattern or list."""
    if name.startswith(_LIST):
        return False
    if is_url(name):
        return not _is_remote_set(name)
    if os.path.isdir(name):
        return _is_broadcast(name)
    if split_member(name) is not None:
        return True
    return not is_pack(name) if os.path.exists(name) else not glob.has_magic(name)


def check_exists(name: str) -> None:
    """Check that a name that means one local file or folder exists, and that a pattern of local files fits one.

    Raises:
        FileNotFoundError: it does not; the message suggests similar names of its folder.
    """
    if name == STDIN or name.startswith(_LIST) or is_url(name) or os.path.lexists(name):
        return
    if split_member(name) is not None:
        return
    if glob.has_magic(name):
        if next(glob.iglob(name, recursive=True), None) is None:
            raise FileNotFoundError(errno.ENOENT, _NO_MATCH, name)
        return
    import difflib

    folder, asked = os.path.split(name)
    try:
        near = difflib.get_close_matches(asked, os.listdir(folder or "."), n=3)
    except OSError:
        near = []
    hint = f"; did you mean {any_of([os.path.join(folder, each) for each in near])}?" if near else ""
    raise FileNotFoundError(errno.ENOENT, f"no such file or folder{hint}", name)


def expand_inputs(
    names: Iterable[str | os.PathLike[str]], stdin: TextIO | None = None, limits: Limits | None = None
) -> Iterator[InputFile]:
    """Iterate over the files that `names` mean, in their order, each once.

    A folder or list that cannot be read and a pattern without a match yield an `InputFile` with an `error`; a
    file that does not exist is yielded as named.

    Args:
        names: paths, URLs, folders, patterns, lists (see the module).
        stdin: input for ``@-``; the process's standard input by default.
        limits: bounds on the data that `list_pack` reads of a pack.
    """
    packed = partial(list_pack, limits=limits)
    meant = [each for name in names for each in _expand(os.fspath(name), stdin)]
    files = [name for name in meant if isinstance(name, str) and is_one_file(name)]
    # A file that is found first and named later counts as named.
    named = {_key(name) for name in files} if len(files) < len(meant) else set()
    seen: set[str] = set()
    hidden = 0
    for name in meant:
        for found in _one(name, packed) if isinstance(name, str) else [name]:
            hidden += found.hidden
            if found.hidden:
                continue
            key = _key(found.path)
            if key not in seen:
                seen.add(key)
                yield replace(found, named=True) if key in named and not found.named else found
    if hidden:
        warnings.warn(f"skipped names that begin with a dot: {hidden}", stacklevel=2)


def _key(path: str) -> str:
    """Return a key that is equal for all names of a file."""
    return path if is_url(path) or path == STDIN else os.path.realpath(path)


def natural_key(text: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return a sort key that compares numbers by value and letters without case."""
    parts = re.split(r"(\d+)", text.casefold())
    return [_by_value(part) if place % 2 else part for place, part in enumerate(parts)], text


def _by_value(digits: str) -> tuple[int, str]:
    """Return a sort key of a number of any length: `int` takes at most 4300 digits."""
    digits = digits.lstrip("0")
    return len(digits), digits


def _expand(name: str, stdin: TextIO | None) -> Iterator[str | InputFile]:
    """Yield a name, or the names of a list."""
    if name.startswith(_LIST):
        yield from _listed(name, stdin)
    else:
        yield name


def _listed(name: str, stdin: TextIO | None) -> Iterator[str | InputFile]:
    """Yield the names in a list: one per line, or ended by NUL as ``find -print0`` writes; lists do not nest."""
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


def _one(name: str, packed: _Look) -> Iterator[InputFile]:
    if name == STDIN:
        yield InputFile(name, True)
    elif is_url(name):
        yield from _remote(name) if _is_remote_set(name) else [InputFile(name, True)]
    elif os.path.isdir(name):
        yield from _folder(name, packed, named=True)
    elif os.path.isfile(name) and is_pack(name):
        yield from _contents(name, packed)
    elif os.path.exists(name) or not glob.has_magic(name) or split_member(name) is not None:
        yield InputFile(name, True, _size(name))
    else:
        yield from _fitting(name, packed)


def _is_broadcast(folder: str) -> bool:
    try:
        return is_broadcast_folder(folder)
    except OSError:  # listing it raises the same error, which is reported
        return False


def _fitting(pattern: str, packed: _Look) -> Iterator[InputFile]:
    """Yield the files that match a pattern; folders among them are searched."""
    paths = sorted(glob.iglob(pattern, recursive=True), key=natural_key)
    if not paths:
        yield InputFile(pattern, True, error=FileNotFoundError(f"{pattern}: {_NO_MATCH}"))
    for path in paths:
        if os.path.isdir(path):
            yield from _folder(path, packed, named=False)
        elif os.path.isfile(path):
            yield from _contents(path, packed) if is_pack(path) else [InputFile(path, False, _size(path))]


def _contents(name: str, look: _Look) -> Iterator[InputFile]:
    """Yield the files that `look` lists in `name`, in natural order."""
    try:
        found = sorted(look(name), key=lambda each: natural_key(each[0]))
    except OSError as error:
        yield InputFile(name, True, error=error)
        return
    for path, size, changed in found:
        yield InputFile(path, False, size, changed)


def _folder(
    folder: str, packed: _Look, *, named: bool, above: frozenset[str] = frozenset()
) -> Iterator[InputFile]:
    """Yield the folder of a broadcast as one file, and the files of any other folder."""
    yield from [InputFile(folder, named)] if _is_broadcast(folder) else _in_folder(folder, packed, above)


def _in_folder(folder: str, packed: _Look, above: frozenset[str]) -> Iterator[InputFile]:
    """Yield ordinary files below a folder; follows links except those that lead back up."""
    real = os.path.realpath(folder)
    if real in above:
        return
    if len(above) >= _DEEPEST:
        yield InputFile(folder, True, error=OSError(f"{folder}: is below more than {_DEEPEST} folders"))
        return
    try:
        with os.scandir(folder) as entries:
            every = sorted(entries, key=lambda each: natural_key(each.name))
    except OSError as error:
        yield InputFile(folder, True, error=error)
        return
    found = [each for each in every if not each.name.startswith(".")]
    yield from _hidden(folder, len(every) - len(found))
    for entry in found:
        try:
            if entry.is_dir():
                yield from _folder(entry.path, packed, named=False, above=above | {real})
            elif entry.is_file() and is_pack(entry.path):
                yield from _contents(entry.path, packed)
            elif entry.is_file():
                yield InputFile(entry.path, False, entry.stat().st_size)
        except OSError as error:  # it was removed, or permission is missing
            yield InputFile(entry.path, True, error=error)


def _hidden(folder: str, number: int) -> Iterator[InputFile]:
    """Yield an entry of skipped names, if there are any."""
    if number:
        yield InputFile(folder, False, hidden=number)


def _size(path: str) -> int | None:
    """Return the size of an ordinary file; None for a pipe or a missing file."""
    try:
        return os.stat(path).st_size if os.path.isfile(path) else None
    except OSError:
        return None


# -- URLs ---------------------------------------------------------------------------------------------------------


def _is_remote_set(url: str) -> bool:
    """Return whether a URL is a folder or a pattern; over HTTP it is one file, and ``?`` a query. A folder ends in
    ``/``, or its last part has no dot and the store says so."""
    if url.startswith(("http://", "https://")):
        return False
    return (
        url.endswith("/") or glob.has_magic(url) or ("." not in url.rpartition("/")[2] and _is_remote_folder(url))
    )


def _is_remote_folder(url: str) -> bool:
    from playhead.io.remote import filesystem

    try:
        system, path = filesystem(url)
        return bool(system.isdir(path))
    except Exception:  # of any library; reading the URL raises it again
        return False


def _remote(url: str) -> Iterator[InputFile]:
    from playhead.io.remote import list_remote

    url = url if glob.has_magic(url) else f"{url.rstrip('/')}/"
    none = FileNotFoundError(f"{url}: there is no such file")
    every = [*_contents(url, list_remote)] or [InputFile(url, True, error=none)]
    found = [each for each in every if not each.path.rpartition("/")[2].startswith(".")]
    yield from _hidden(url, len(every) - len(found))
    yield from found
