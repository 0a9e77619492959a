"""A recording that is held to the promises of every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playhead import registry
from playhead.io.source import open_source
from playhead.model import Options
from playhead.replay import Replay
from playhead.runtime.cached import cached_property
from playhead.runtime.records import dataclass

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class Subject:
    """A recording that is held to the promises.

    Attributes:
        format: name of its format, as `Replay.format` shows it.
        path: where it is; it is only read.
        folder: where files may be written.
        damages: how many damaged copies are read for each kind of damage.
    """

    format: str
    path: Path
    folder: Path
    damages: int = 8

    @classmethod
    def sample(cls, format: str, folder: Path, *, damages: int = 8) -> Subject:
        """The sample that a format writes; raises KeyError if no format of that name is installed."""
        known = {each.name: each for each in registry.list_formats()}
        return cls(format, known[format].write_sample(folder), folder, damages)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the recording."""
        return self.path.read_bytes()

    def open(self, data: bytes | None = None, *, strict: bool = False) -> Replay:
        """The recording, or a copy with other bytes, opened anew."""
        source = open_source(self.path if data is None else data, Options().limits)
        return registry.detect(source).open(source, Options(strict=strict))

    @cached_property
    def replay(self) -> Replay:
        """The recording, opened once for all that only look."""
        return self.open()

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """All its tables."""
        return self.replay.read_tables()


def refusal(kind: type[Exception], call: Callable[[], object]) -> str:
    """What an error of this kind says, which the call has to raise."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected a {kind.__name__}")
