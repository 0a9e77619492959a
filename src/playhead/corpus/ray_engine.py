"""Shards as Ray core tasks: the same function and plan, on the machines of a cluster.

Ray's own retries are off: they would repeat an input that exhausts memory without end. If a node leaves, its tasks
are rescheduled here; running a shard twice writes the same files. Each task reads its inputs in processes of its
own, as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from playhead.corpus.decode import Outcome
from playhead.corpus.manifest import Manifest
from playhead.corpus.request import Request
from playhead.corpus.shards import Running, Shard, run_shards
from playhead.io.store import Store, open_store
from playhead.runtime.extras import import_extra
from playhead.runtime.records import replace

#: Greatest number of attempts at a shard.
_ATTEMPTS = 5

#: Shards submitted per processor of the cluster; more than one, so that none is idle.
_AHEAD = 2


def run_on_ray(
    shards: list[Shard],
    store: Store,
    request: Request,
    running: Running,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
    *,
    address: str | None = None,
) -> Iterator[Manifest]:
    """Read and write shards on a cluster, one processor each; arguments and errors as in `run_shards`.

    New nodes are used; if a node leaves, its shards are rescheduled. The lake must be a URL, or a folder on all
    nodes.

    Args:
        address: address of the cluster; by default the connected one, or a new one on this machine.

    Raises:
        ModuleNotFoundError: Ray is not installed (extra ``ray``).
    """
    ray = import_extra("ray", "ray", "engine ray")
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, include_dashboard=False)
    # Spread: prefer an idle node to one that has the arguments.
    remote = ray.remote(max_retries=0, num_cpus=1, scheduling_strategy="SPREAD")(_run)
    here = replace(running, jobs=1)
    waiting = iter(shards)
    given: dict[Any, tuple[Shard, int]] = {}

    def give(shard: Shard, attempt: int) -> None:
        given[remote.remote(shard, store.location, request, here)] = (shard, attempt)

    try:
        while True:
            ahead = max(_AHEAD, _AHEAD * int(ray.cluster_resources().get("CPU", 1)))
            for shard in islice(waiting, max(ahead - len(given), 0)):
                give(shard, 1)
            if not given:
                return
            done, _ = ray.wait(list(given), num_returns=1, timeout=10)
            for reference in done:
                shard, attempt = given.pop(reference)
                try:
                    manifest, outcomes = ray.get(reference)
                except (
                    ray.exceptions.RayTaskError
                ) as error:  # the task raised: the lake cannot be written, or a bug
                    raise error.cause if isinstance(error.cause, OSError) else error from None
                except ray.exceptions.RayError as error:  # its process or node is gone
                    if attempt >= _ATTEMPTS:
                        raise OSError(f"{shard.name} was lost {attempt} times: {error}") from error
                    give(shard, attempt + 1)
                    continue
                for outcome in outcomes:
                    on_outcome(outcome)
                yield manifest
    finally:
        for reference in given:
            ray.cancel(reference, force=True)


def _run(shard: Shard, location: str, request: Request, running: Running) -> tuple[Manifest, list[Outcome]]:
    """Run one shard on a node of the cluster."""
    outcomes: list[Outcome] = []
    (manifest,) = run_shards([shard], open_store(location), request, running, outcomes.append)
    return manifest, [replace(each, parts=(), spill=None) for each in outcomes]
