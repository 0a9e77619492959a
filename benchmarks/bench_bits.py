"""Nanoseconds per checked bit read: compiled, interpreted, and gem-dota's reader, in one run.

    python benchmarks/bench_bits.py        (needs the dev extra: Cython and a C compiler for the first row)

"From C" is a call as in playhead's own decoders; "from Python" adds the cost of a Python method call.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playhead.bits import BitReader, BitWriter
from playhead.runtime import hot

COUNT = 100_000
WIDTH = 13


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_loop(folder: str) -> Any:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    source = Path(__file__).with_name("bit_loop.py")
    extensions = cythonize(
        [Extension("bit_loop", [str(source)], extra_compile_args=["-O3"])],
        build_dir=folder,
        include_path=[str(Path(hot.__file__).parents[1])],
        quiet=True,
    )
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib = command.build_temp = folder
    command.ensure_finalized()
    command.run()
    return _load("bit_loop", next(Path(folder).glob("bit_loop*.so")))


def _best(prepare: Callable[[], Callable[[], object]], reads: int) -> float:
    """Return nanoseconds per read: the best of five runs of the function returned by `prepare`."""
    best = float("inf")
    for _ in range(5):
        run = prepare()
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best / reads * 1e9


def _from_python(reader: Any, data: bytes, varints: bytes) -> tuple[float, float]:
    def bits() -> Callable[[], None]:
        read = reader(data).read_bits
        return lambda: [None for _ in range(COUNT) if read(WIDTH) is None] and None

    def varint() -> Callable[[], None]:
        read = reader(varints).read_varuint32
        return lambda: [None for _ in range(COUNT) if read() is None] and None

    return _best(bits, COUNT), _best(varint, COUNT)


def main() -> None:
    data = os.urandom(COUNT * 8)
    writer = BitWriter()
    for value in range(COUNT):
        writer.write_varuint32(value * 41)
    varints = writer.to_bytes()

    rows: dict[str, tuple[float, float]] = {}
    if hot.summary() == "compiled":
        with tempfile.TemporaryDirectory() as folder:
            loop = compiled_loop(folder)
            rows["playhead, compiled, from C"] = (
                _best(lambda: lambda r=BitReader(data): loop.read_bits(r, COUNT // 4, WIDTH), COUNT // 4),  # noqa: B008
                _best(lambda: lambda r=BitReader(varints): loop.read_varuint32(r, COUNT), COUNT),  # noqa: B008
            )
        rows["playhead, compiled, from Python"] = _from_python(BitReader, data, varints)
    plain = _load("plain", hot.source_path("playhead.bits.bit_reader")).BitReader
    rows["playhead, interpreted"] = _from_python(plain, data, varints)
    try:
        from gem.binary.reader import BitReader as GemReader

        rows["gem-dota"] = _from_python(GemReader, data, varints)
    except ImportError:
        print("gem-dota is not installed: no peer in this run", file=sys.stderr)

    print(f"{'ns a read':<34}{f'{WIDTH} bits':>10}{'varint':>10}")
    for name, row in rows.items():
        print(f"{name:<34}{row[0]:>10.1f}{row[1]:>10.1f}")
    if "gem-dota" in rows:
        for name, row in rows.items():
            peer = rows["gem-dota"]
            print(f"{name:<34}{peer[0] / row[0]:>9.1f}x{peer[1] / row[1]:>9.1f}x the speed of gem-dota")


if __name__ == "__main__":
    main()
