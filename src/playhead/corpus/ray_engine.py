"""Shards as core tasks of Ray: the same function over the same plan, on the machines of a cluster.

Ray does not retry: memory that an input eats would be retried without end. A task whose machine went away is given
out again here; doing a shard twice writes the same files. The inputs of a task are read by processes of its own,
as elsewhere.
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

#: How often a shard is given out at most.
_ATTEMPTS = 5

#: Shards given out and not done, for each processor of the cluster: some wait, so that none of them does.
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
    """Read and write shards on a cluster, one processor each; arguments and errors as of `run_shards`.

    Machines that join are used, machines that go cost what they were doing. The lake has to be a URL, or a folder
    that all machines have.

    Args:
        address: of the cluster; by default the one that this program is connected to, or a new one on this
            machine.

    Raises:
        ModuleNotFoundError: Ray is not installed (extra ``ray``).
    """
    ray = import_extra("ray", "ray", "engine ray")
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, include_dashboard=False)
    # Spread: a machine that has little to do is better than one that has the arguments.
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
                except ray.exceptions.RayTaskError as error:  # it raised: the lake cannot be written, or a fault
                    raise error.cause if isinstance(error.cause, OSError) else error from None
                except ray.exceptions.RayError as error:  # its process or machine is gone
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
    """Do one shard on a machine of the cluster."""
    outcomes: list[Outcome] = []
    (manifest,) = run_shards([shard], open_store(location), request, running, outcomes.append)
    return manifest, [replace(each, parts=(), spill=None) for each in outcomes]
