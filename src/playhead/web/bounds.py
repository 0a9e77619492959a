"""Limits of the service: memory, time, sizes and counts."""

from __future__ import annotations

from playhead.runtime.records import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the service; sizes are in bytes.

    Attributes:
        upload: one upload, as sent.
        disk: the lake and the uploads that wait; with more, no upload is taken.
        free: room that stays free on the disk.
        rate: uploads of one person in a minute.
        questions: other requests of one person in a minute.
        at_once: requests of one person that are answered at once.
        waiting: uploads that arrive, wait or are read; half of them may be of one person.
        workers: replays that are read at once, each in a process.
        seconds: time to read one replay; its process is killed after it.
        arrival: time in which an upload has to arrive.
        silence: seconds without a byte after which an upload ends.
        memory: memory of one process that reads.
        answer: an answer; JSON leaves out rows beyond it, other forms are refused.
        rows: rows of a table in an answer of JSON.
        jobs: finished jobs that are remembered.
        compact_after: shards of single replays after which the lake is compacted.
    """

    upload: int = 1 << 30
    disk: int = 100 << 30
    free: int = 1 << 30
    rate: int = 60
    questions: int = 600
    at_once: int = 48
    waiting: int = 64
    workers: int = 2
    seconds: float = 300.0
    arrival: float = 600.0
    silence: float = 30.0
    memory: int = 4 << 30
    answer: int = 64 << 20
    rows: int = 1000
    jobs: int = 1000
    compact_after: int = 256
