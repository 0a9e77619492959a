"""`Uploads`: from their arrival to the lake; each is read in a process that may be killed."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Any

from playhead.corpus.writing.shards import SCRATCH
from playhead.errors import ReplayError
from playhead.io.scratch import TemporaryFolder
from playhead.runtime.bounded import BoundExceeded, CallProcesses, in_words
from playhead.runtime.records import dataclass, field
from playhead.web.answers import Refused
from playhead.web.archive import Archive, remove
from playhead.web.bounds import Bounds
from playhead.web.reading import (
    Fetch,
    Unreadable,
    Upload,
    compacted,
    fetch,
    file_name,
    identified,
    removed,
    stored,
    told,
)

if TYPE_CHECKING:
    from anyio import CapacityLimiter

_LOG = logging.getLogger(__name__)
#: Bytes that are kept free for the next ones of an upload.
_STEP = 16 << 20
#: Errors of events as sentences, which do not undo that the replay is stored.
UNTOLD: tuple[type[Exception], ...] = (BoundExceeded, ReplayError, ValueError, NotImplementedError, OSError)
#: Modules that a process imports before its first call.
_MODULES = ("playhead.web.reading", "pyarrow.compute", "pyarrow.parquet")


@dataclass(slots=True, eq=False)
class Job:
    """One upload.

    Attributes:
        id: cannot be guessed.
        owner: name of the sender.
        file: its name, as the sender calls it.
        state: ``waiting``, ``reading``, ``done`` or ``failed``.
        replay: SHA-256 of the replay, as soon as it is known.
        was_there: the lake had it before.
        status: of HTTP, for the answer.
        error: why it failed.
        tells: its sender waits for the events as sentences.
        told: these, and how many more there are; None if they cannot be read.
    """

    id: str
    owner: str
    file: str
    size: int = 0
    state: str = "waiting"
    replay: str | None = None
    was_there: bool = False
    status: int = 202
    error: str | None = None
    tells: bool = False
    told: tuple[list[dict[str, Any]], int] | None = None
    began: float = field(default_factory=time.monotonic)
    seconds: float | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        shown = ("file", "size", "state", "replay", "was_there", "error", "seconds")
        facts = {name: getattr(self, name) for name in shown if getattr(self, name) is not None}
        return {"job": self.id, **facts}


class Uploads:
    """The jobs of a service; they end with its event loop."""

    def __init__(self, archive: Archive, bounds: Bounds) -> None:
        self._archive = archive
        self._bounds = bounds
        scratch = Path(archive.location) / SCRATCH
        scratch.mkdir(exist_ok=True)
        self._folder = TemporaryFolder("service", str(scratch))
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._processes = CallProcesses(bounds.workers, *_MODULES)
        self._limiter: CapacityLimiter | None = None
        self._arriving: dict[Job, int] = {}
        self._compacting = False
        self._storing: set[str] = set()
        self._stored = Condition()

    @property
    def working(self) -> int:
        """Number of uploads that arrive, wait or are read."""
        return len(self._arriving)

    def find(self, id: str, owner: str) -> Job:
        """Return a job of a person.

        Raises:
            Refused: no job has this id, or it was forgotten.
        """
        job = self._jobs.get(id)
        if job is None or job.owner != owner:
            raise Refused(404, "no such job; those that ended long ago are forgotten")
        return job

    async def take(
        self, owner: str, name: str, parts: AsyncIterator[bytes], declared: int, *, tells: bool = False
    ) -> Job:
        """Receive an upload, and have it read.

        Args:
            declared: bytes, as its sender says; 0 if it does not.
            tells: its sender waits for the events.

        Raises:
            Refused: there is no room, or it is too large or too slow.
        """
        job = self._begin(owner, name, declared)
        job.tells = tells
        path = self._path(job)
        try:
            async with asyncio.timeout(self._bounds.arrival):
                with open(path, "wb") as file:
                    async for part in _lively(parts, self._bounds.silence):
                        job.size += len(part)
                        self._check_size(job.size)
                        if job.size > self._arriving[job]:
                            self._arriving[job] = job.size + _STEP
                            self._archive.check_room(sum(self._arriving.values()))
                        file.write(part)
            if not job.size:
                raise Refused(400, "the body is empty: send the bytes of a replay")
        except TimeoutError:
            self._drop(job)
            raise Refused(408, "the upload took too long") from None
        except BaseException:
            self._drop(job)
            raise
        self._start(job, None)
        return job

    def take_url(self, owner: str, url: str, name: str, *, tells: bool = False) -> Job:
        """Have a URL fetched and read; errors as of `take`."""
        job = self._begin(owner, name or url.partition("?")[0].rpartition("/")[2], self._bounds.upload)
        job.tells = tells
        self._start(job, url)
        return job

    def close(self) -> None:
        """End the processes, and forget uploads that were not read."""
        self._processes.close()
        for task in self._tasks:
            task.cancel()
        self._folder.cleanup()

    # -- arrival ----------------------------------------------------------------------------------------

    def _begin(self, owner: str, name: str, declared: int) -> Job:
        if len(self._arriving) >= self._bounds.waiting:
            raise Refused(503, f"{self._bounds.waiting} uploads are waiting", after=5.0)
        if sum(each.owner == owner for each in self._arriving) >= max(1, self._bounds.waiting // 2):
            raise Refused(429, f"{self._bounds.waiting // 2} uploads of {owner} are waiting", after=5.0)
        self._check_size(declared)
        self._archive.check_room(sum(self._arriving.values()) + declared)
        job = Job(secrets.token_urlsafe(12), owner, file_name(name))
        self._arriving[job] = min(declared, _STEP)  # a sender may claim any size
        return job

    def _check_size(self, size: int) -> None:
        if size > self._bounds.upload:
            raise Refused(413, f"an upload may have {in_words(self._bounds.upload)}")

    def _path(self, job: Job) -> str:
        return os.path.join(self._folder.name, job.id)

    def _drop(self, job: Job) -> None:
        self._arriving.pop(job, None)
        remove(self._path(job))

    # -- reading ----------------------------------------------------------------------------------------

    def _start(self, job: Job, url: str | None) -> None:
        self._jobs[job.id] = job
        ended = [id for id, each in self._jobs.items() if each.ended.is_set()]
        for id in ended[: max(0, len(ended) - self._bounds.jobs)]:
            del self._jobs[id]
        self._spawn(self._work(job, url))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, job: Job, url: str | None) -> None:
        try:
            await self._in_thread(self._read, job, url)
            job.state, job.status = "done", 200 if job.was_there else 201
        except (Unreadable, BoundExceeded, ReplayError) as error:
            job.state, job.status, job.error = "failed", 422, str(error)
        except OSError as error:
            job.state, job.error = "failed", error.strerror or str(error)  # without the names of files
            job.status = 502 if url is not None and job.size == 0 else 500
        except Exception:  # a defect: the sender has to know that it is not the file
            _LOG.exception("an upload failed")
            job.state, job.status, job.error = "failed", 500, "the service failed; its log says why"
        finally:
            if job.error is not None:
                job.error = self._archive.without_path(job.error)
            self._drop(job)
            job.told = job.told if job.tells else None
            job.seconds = round(time.monotonic() - job.began, 3)
            job.ended.set()
        if job.status == 201 and not self._compacting and self._archive.shards >= self._bounds.compact_after:
            self._compacting = True
            self._spawn(self._compact())

    async def _in_thread(self, call: Callable[..., Any], *values: Any) -> Any:
        """Run a function in a thread; there are as many as processes."""
        from anyio import CapacityLimiter
        from anyio.to_thread import run_sync

        if self._limiter is None:
            self._limiter = CapacityLimiter(self._bounds.workers)
        return await run_sync(call, *values, limiter=self._limiter)

    def _read(self, job: Job, url: str | None) -> None:
        """Read an upload; runs in a thread."""
        job.state = "reading"
        path, seconds = self._path(job), self._bounds.seconds
        if url is not None:
            order = Fetch(url, path, self._bounds.upload, self._bounds.arrival)
            job.size = self._processes.call(fetch, order, self._bounds.arrival)
        upload = Upload(path, job.file, self._archive.location, self._bounds.memory)
        item = self._processes.call(identified, upload, seconds)
        job.replay = item.id
        with self._alone(item.id):
            job.was_there = self._archive.has(item.id)
            if not job.was_there:
                self._processes.call(stored, (upload, item), seconds)
        if job.tells:
            with suppress(*UNTOLD):
                job.told = self._processes.call(told, (upload, item), seconds)

    @contextmanager
    def _alone(self, replay: str) -> Iterator[None]:
        """Wait until no other thread stores a replay: of two uploads of one replay, the second finds it there."""
        with self._stored:
            self._stored.wait_for(lambda: replay not in self._storing)
            self._storing.add(replay)
        try:
            yield
        finally:
            with self._stored:
                self._storing.remove(replay)
                self._stored.notify_all()

    def remove(self, replay: str) -> None:
        """Remove a replay from the lake.

        Raises:
            NotThere: the lake does not have it.
        """
        with self._alone(replay):
            self._archive.of(replay)
            self._processes.call(removed, (self._archive.location, replay), self._bounds.seconds * 10)

    async def _compact(self) -> None:
        try:
            seconds = self._bounds.seconds * 10
            await self._in_thread(self._processes.call, compacted, self._archive.location, seconds)
        except (OSError, ValueError):  # the lake is as before; the next upload tries again
            pass
        finally:
            self._compacting = False


async def _lively(parts: AsyncIterator[bytes], silence: float) -> AsyncIterator[bytes]:
    """Yield the parts of a body; each has to come within so many seconds.

    Raises:
        TimeoutError: one does not.
    """
    while True:
        try:
            part = await asyncio.wait_for(anext(parts), silence)
        except StopAsyncIteration:
            return
        yield part
