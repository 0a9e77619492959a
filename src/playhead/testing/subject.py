"""A recording to check against the promises of every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playhead import registry
from playhead.io.source import open_source
from playhead.model import Options
from playhead.replay import Replay
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass


@dataclass
class Subject:
    """A recording to check.

    Attributes:
        format: name of its format, as `Replay.format` shows it.
        path: the recording; it is only read.
        folder: a folder for written files.
        damages: number of damaged copies for each kind of damage.
    """

    format: str
    path: Path
    folder: Path
    damages: int = 8

    @classmethod
    def sample(cls, format: str, folder: Path, *, damages: int = 8) -> Subject:
        """Return the sample of a format; raises KeyError if no format of that name is installed."""
        known = {each.name: each for each in registry.list_formats()}
        if format not in known:
            raise KeyError(
                f"no format {format!r} is installed (its package: pip install); there are {', '.join(known)}"
            )
        return cls(format, known[format].write_sample(folder), folder, damages)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the recording."""
        return self.path.read_bytes()

    def open(self, data: bytes | None = None, *, strict: bool = False) -> Replay:
        """Open the recording, or a copy with other bytes."""
        source = open_source(self.path if data is None else data, Options().limits)
        return registry.detect(source).open(source, Options(strict=strict))

    @cached_property
    def replay(self) -> Replay:
        """The recording, opened once for all checks that only read."""
        return self.open()

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """All its tables."""
        return dict(self.replay.read_tables())


def refusal(kind: type[Exception], call: Callable[[], object]) -> str:
    """Return the message of an error of this kind, which the call must raise."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected a {kind.__name__}")
