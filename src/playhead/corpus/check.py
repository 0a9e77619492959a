"""The check of a lake: its manifests are compared with their lists, plans, schemas and data files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from playhead.corpus.lists import FOLDER as LISTS
from playhead.corpus.lists import lost_of, read_lists
from playhead.corpus.manifest import (
    FOLDER,
    Manifest,
    fault_of_file,
    lacking,
    misfits,
    names_in,
    path_of,
    read_manifest,
)
from playhead.corpus.plan import FOLDER as PLANS
from playhead.corpus.plan import planned_ids, read_plan
from playhead.corpus.strays import lost_by_files
from playhead.corpus.write import SCHEMAS, read_schema, schema_path
from playhead.io.store import Store, open_store
from playhead.runtime.records import dataclass, field

_FOLDERS = (FOLDER, LISTS, PLANS, SCHEMAS)


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged or missing file of a lake.

    Attributes:
        name: its name in the lake.
        what: the fault.
        manifest: the manifest that lists it; None for a plan, a list, and a manifest that another replaces.
    """

    name: str
    what: str
    manifest: str | None = None


@dataclass(slots=True)
class LakeState:
    """What a lake has and what is wrong with it.

    Attributes:
        faults: the damage.
        live: the readable manifests that count, by name.
        untold: names of manifests that are missing or damaged, or contradict others.
        broken: names of data files and shapes of schemas that are damaged.
        sizes: size of each file.
    """

    faults: list[Fault] = field(default_factory=list)
    live: dict[str, Manifest] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> list[Manifest]:
        """The manifests of which everything is there."""
        bad = {fault.manifest for fault in self.faults}
        return [each for name, each in self.live.items() if name not in bad]


def check_lake(location: str | os.PathLike[str], *, whole: bool = True) -> tuple[Fault, ...]:
    """Compare the files of a lake with its manifests, and these with their lists and plans; return the damage.

    Args:
        location: folder or URL.
        whole: read every file and compare its SHA-256; otherwise compare sizes only.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read.
    """
    return tuple(inspect(open_store(location), whole=whole).faults)


def inspect(store: Store, *, whole: bool) -> LakeState:
    """Return the state of a lake; arguments and errors as of `check_lake`."""
    lists = read_lists(store)  # before the manifests
    found = _manifests(store)
    files = list(store.files())
    state = LakeState(sizes={each.name: each.size for each in files})
    plans = [name for name in state.sizes if name.startswith(f"{PLANS}/") and name.endswith(".parquet")]
    saved = any(name.startswith((f"{PLANS}/", f"{SCHEMAS}/")) for name in state.sizes)
    if not found and not lists and not saved:
        raise FileNotFoundError(f"{store.location}: there is no lake (nothing was exported to it)")
    state.faults += [Fault(name, "damaged list of manifests") for name, names in lists.items() if names is None]
    state.faults += [Fault(name, "damaged plan") for name in plans if not _is_plan(store, name)]
    links = [name for name in _FOLDERS if state.sizes.get(name, 0) < 0]
    state.faults += [Fault(name, "is a link: make it a folder") for name in links]
    told = {name: each for name, each in found.items() if each is not None}
    wrong = misfits(told)
    gone = {old for name, each in told.items() if name not in wrong for old in each.replaces}
    listed = frozenset[str]().union(*filter(None, lists.values()))
    wrong |= dict.fromkeys(lost_of(listed, told.values()), "is missing")
    known = {**dict.fromkeys(wrong), **found}
    wrong |= dict.fromkeys(lost_by_files(store, files, known), "is missing, and its data files are left")
    wrong |= {name: "damaged manifest" for name, each in found.items() if each is None}
    state.live = {name: each for name, each in told.items() if name not in gone and name not in wrong}
    wrong |= lacking(planned_ids(store), list(state.live.values())) if whole else {}
    for name, what in sorted(wrong.items()):
        state.faults.append(Fault(path_of(name), what, None if name in gone else name))
        state.live.pop(name, None)
    state.untold = wrong.keys() - gone
    for manifest in state.live.values():
        for fault in _faults_of(store, manifest, state.sizes, whole=whole):
            state.faults.append(fault)
            state.broken.add(fault.name)
    return state


def _manifests(store: Store) -> dict[str, Manifest | None]:
    """Return the manifests by name; None for a damaged one."""
    found: dict[str, Manifest | None] = {}
    for name in names_in(store):
        try:
            found[name] = read_manifest(store, name)
        except FileNotFoundError:  # a compaction removed it meanwhile
            continue
        except ValueError:
            found[name] = None
    return found


def _is_plan(store: Store, name: str) -> bool:
    try:
        read_plan(store, name)
    except ValueError:
        return False
    return True


def _faults_of(store: Store, manifest: Manifest, sizes: Mapping[str, int], *, whole: bool) -> Iterator[Fault]:
    for shape in sorted(manifest.shapes):
        try:
            read_schema(store, shape)
        except (OSError, ValueError) as error:
            yield Fault(schema_path(shape), f"damaged schema: {error}", manifest.name)
    for file in manifest.files:
        fault = fault_of_file(store, file, sizes, whole=whole)
        if fault is not None:
            yield Fault(file.name, fault, manifest.name)
