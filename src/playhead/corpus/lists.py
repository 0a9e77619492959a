"""The manifests of a lake at one moment, and lists of them, by which a lost manifest is noticed.

A writer adds a list after its manifests, with the names of older lists, and removes those. Two writers at once
leave two lists: all of them count. A manifest that a list names may be missing only if another manifest replaces
it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from playhead.corpus.manifest import Manifest, names_in, path_of, read_manifest
from playhead.corpus.names import is_name
from playhead.io.store import Store, StrangeFile

FOLDER = "_lists"

#: How often the manifests are listed at most while others write them.
_LISTINGS = 5
#: Least number of seconds between two lists of one export.
_SECONDS = 2.0


class DamagedList(ValueError):
    """A list of manifests is damaged."""


def read_lists(store: Store) -> dict[str, frozenset[str] | None]:
    """Return the names of manifests in each list by its name; None for a damaged one.

    Read the lists before you list the manifests: another process may write some of both meanwhile.
    """
    found: dict[str, frozenset[str] | None] = {}
    for each in store.files(FOLDER):
        if each.name.endswith(".json") and not each.name.rpartition("/")[2].startswith("."):
            try:
                found[each.name] = _read(store, each.name)
            except FileNotFoundError:  # a newer list has its names
                continue
            except DamagedList:
                found[each.name] = None
    return found


def _read(store: Store, name: str) -> frozenset[str]:
    try:
        facts = json.loads(store.get(name))
        names = [each for each in facts["manifests"] if is_name(each)]
        if facts["sha256"] != _digest(names) or len(names) != len(facts["manifests"]):
            raise ValueError("another SHA-256")
    except (StrangeFile, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamagedList(f"{store.path(name)}: {error}") from error
    return frozenset(names)


def listed(store: Store) -> frozenset[str]:
    """Return the names of all manifests that the lists have.

    Raises:
        DamagedList: a list is damaged.
    """
    lists = read_lists(store)
    for name, names in lists.items():
        if names is None:
            raise DamagedList(f"{store.path(name)}: damaged list of manifests; playhead lake check repairs it")
    return frozenset().union(*(names for names in lists.values() if names))


def add_to_lists(store: Store, names: Iterable[str], *, without: Collection[str] = ()) -> None:
    """Write a list with more names than the present ones have, and remove those.

    Args:
        without: names that are replaced, and need not be listed any more.

    Raises:
        OSError: the lake cannot be written.
    """
    older = {name: held for name, held in read_lists(store).items() if held is not None}
    every = frozenset(names).union(*older.values()).difference(without)
    if not every or [*older.values()] == [every]:
        return
    mine = write_list(store, every)
    for name in older:
        if name != mine:
            store.remove(name)


def write_list(store: Store, names: Iterable[str]) -> str:
    """Write one list; return its name, which is made of its content."""
    ordered = sorted(names)
    digest = _digest(ordered)
    name = f"{FOLDER}/{digest[:20]}.json"
    store.put(name, json.dumps({"manifests": ordered, "sha256": digest}).encode())
    return name


def _digest(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def listing(store: Store, manifests: Iterable[Manifest], gone: Collection[str] = ()) -> Iterator[Manifest]:
    """Yield manifests as they are written, and list them: the first at once, later ones every few seconds and at
    the end."""
    waiting: set[str] = {*names_in(store)}
    latest = -_SECONDS
    try:
        for manifest in manifests:
            waiting.add(manifest.name)
            if time.monotonic() - latest >= _SECONDS:
                add_to_lists(store, waiting, without=gone)
                waiting.clear()
                latest = time.monotonic()
            yield manifest
    finally:
        if waiting:
            add_to_lists(store, waiting, without=gone)


def lost_of(names: Iterable[str], manifests: Iterable[Manifest | None]) -> list[str]:
    """Return the listed names of manifests that are missing and were not replaced, sorted."""
    held = [each for each in manifests if each is not None]
    gone = {name for each in held for name in each.replaces}
    return sorted({*names} - gone - {each.name for each in held})


def read_manifests(store: Store, held: Mapping[str, Manifest] | None = None) -> tuple[Manifest, ...]:
    """Return the manifests of a lake, sorted by name, but for a damaged one that another replaces.

    A compaction writes a manifest and then removes those that it replaces: a list made meanwhile may have neither.
    So the folder is listed again after the manifests are read, and read again if it changed.

    Args:
        held: manifests that were read before, by name; they are not read again.

    Raises:
        ValueError: a manifest is damaged.
    """
    known: dict[str, Manifest | tuple[str, ValueError] | None] = dict(held or {})
    names = names_in(store)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(_LISTINGS):
            new = [name for name in names if known.get(name) is None]
            known.update(zip(new, threads.map(partial(_read_or_error, store), new), strict=True))
            before, names = names, names_in(store)
            if names == before:
                break
    found = [known.get(name) for name in before]
    manifests = tuple(each for each in found if isinstance(each, Manifest))
    gone = {path_of(name) for each in manifests for name in each.replaces}
    for each in found:
        if isinstance(each, tuple) and each[0] not in gone:
            raise each[1]
    return manifests


def _read_or_error(store: Store, name: str) -> Manifest | tuple[str, ValueError] | None:
    """Return a manifest, or its path and error; None if it was removed meanwhile, which compactions do with those
    that others replace."""
    try:
        return read_manifest(store, name)
    except FileNotFoundError:
        return None
    except ValueError as error:
        return path_of(name), error
