"""Checks of a lake: every file that a manifest lists exists, has its size and, on request, its SHA-256.

`repair_lake` removes the manifests of damaged files and names the inputs that an export must read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from playhead.corpus.manifest import Manifest, fault_of_file, name_of_file, names_in, path_of, read_manifest
from playhead.corpus.plan import FOLDER as PLANS
from playhead.corpus.plan import read_plan
from playhead.corpus.write import SCHEMAS, read_schema
from playhead.io.store import Store, open_store
from playhead.runtime.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged or missing file of a lake.

    Attributes:
        name: its name in the lake.
        what: the fault.
        manifest: the manifest that lists it; None for a plan.
    """

    name: str
    what: str
    manifest: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair.

    Attributes:
        faults: the damage that was found.
        removed: the files that were removed.
        inputs: the inputs to be read again, with the tables that were wanted of them (`Request.wanted`).
    """

    faults: tuple[Fault, ...]
    removed: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...] = field(default=())


def check_lake(location: str | os.PathLike[str], *, whole: bool = True) -> tuple[Fault, ...]:
    """Compare the files of a lake with its manifests; return the damage.

    Args:
        location: folder or URL.
        whole: read every file and compare its SHA-256; otherwise compare sizes only.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read.
    """
    return tuple(_faults(open_store(location), whole))


def repair_lake(location: str | os.PathLike[str]) -> Repair:
    """Check a whole lake and remove the damaged files with their manifests.

    Their replays are missing then: export the inputs again.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read or changed.
    """
    store = open_store(location)
    faults = tuple(_faults(store, whole=True))
    bad = {fault.manifest for fault in faults if fault.manifest is not None}
    manifests = _manifests(store)
    sound = [each for name, each in manifests.items() if each is not None and name not in bad]
    known = {(replay, wanted) for each in sound for replay, _, wanted in _inputs_of(each)}
    rows = [row for name in sorted(bad) if (lost := manifests[name]) for row in _inputs_of(lost)]
    if any(manifests[name] is None for name in bad):  # the plans say what it held
        rows += _planned(store)
    inputs = {(file, wanted) for replay, file, wanted in rows if (replay, wanted) not in known}
    removed = [path_of(name) for name in sorted(bad)]
    removed += sorted({each.name for each in faults if each.manifest is None or each.name.startswith(SCHEMAS)})
    for each in removed:
        store.remove(each)
    return Repair(faults, tuple(removed), tuple(sorted(inputs)))


def _inputs_of(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield id, file and wanted tables of the inputs of a manifest."""
    for row in manifest.rows.select(["replay", "file", "file_bytes", "wanted"]).to_pylist():
        yield row["replay"], name_of_file(row), row["wanted"]


def _planned(store: Store) -> Iterator[tuple[str, str, str]]:
    """Yield id, file and wanted tables of every input of the plans."""
    for each in store.files(PLANS):
        try:
            rows = read_plan(store, each.name)
        except ValueError:
            continue
        for row in rows:
            yield row["id"], row["file"], row.get("wanted") or ""


def _manifests(store: Store) -> dict[str, Manifest | None]:
    """Return the manifests by name; None for a damaged one."""
    found: dict[str, Manifest | None] = {}
    for name in names_in(store):
        try:
            found[name] = read_manifest(store, name)
        except ValueError:
            found[name] = None
    return found


def _faults(store: Store, whole: bool) -> Iterator[Fault]:
    manifests = _manifests(store)
    sizes = {each.name: each.size for each in store.files()}
    plans = [name for name in sizes if name.startswith(f"{PLANS}/") and name.endswith(".parquet")]
    if not manifests and not plans:
        raise FileNotFoundError(f"{store.location}: there is no lake (nothing was exported to it)")
    for name, manifest in manifests.items():
        if manifest is None:
            yield Fault(path_of(name), "damaged manifest", name)
    for name in plans:
        try:
            read_plan(store, name)
        except ValueError:
            yield Fault(name, "damaged plan")
    replaced = {name for each in manifests.values() if each for name in each.replaces}
    for name, manifest in manifests.items():
        if manifest is not None and name not in replaced:
            yield from _faults_of(store, manifest, sizes, whole)


def _faults_of(store: Store, manifest: Manifest, sizes: dict[str, int], whole: bool) -> Iterator[Fault]:
    for shape in sorted({file.shape for file in manifest.files} | {shape for *_, shape in manifest.empty}):
        try:
            read_schema(store, shape)
        except (OSError, ValueError) as error:
            yield Fault(f"{SCHEMAS}/{shape}.arrow", f"damaged schema: {error}", manifest.name)
    for file in manifest.files:
        fault = fault_of_file(store, file, sizes, whole=whole)
        if fault is not None:
            yield Fault(file.name, fault, manifest.name)
