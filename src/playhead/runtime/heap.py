"""The heap of a process that runs for hours or fills much memory, where the C library is glibc; elsewhere nothing
happens.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playhead.runtime.libraries import pa

#: `M_ARENA_MAX` and `M_MMAP_THRESHOLD` of mallopt(3).
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3
#: Bytes of a large block.
_LARGE = 1 << 21


def _glibc(name: str) -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes

    found: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
    return found


def use_one_arena() -> None:
    """Let all threads, and Arrow, share one arena, before they begin: each arena keeps what its thread freed, and
    Arrow's own pool keeps more. Arrow reads the variable when it is imported."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    set_option = _glibc("mallopt")
    if set_option is not None:
        set_option(_ARENA_MAX, 1)


def return_large_blocks() -> None:
    """As `use_one_arena`; and return each large block to the system when it is released. By default the bound of
    "large" grows up to 32 MiB, and released columns leave holes between what lives on."""
    use_one_arena()
    set_option = _glibc("mallopt")
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _LARGE)


@contextmanager
def arrow_on_the_heap() -> Iterator[None]:
    """Let Arrow take memory from the C library's heap meanwhile, whose `release_unused` returns it to the system.
    Arrow's own pool keeps what released tables had, beside the heap.
    """
    pool = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(pool)


def settle() -> None:
    """Collect all garbage, return its memory to the system, and exclude what remains from later collections: one
    through all objects would take as long as a seek."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim = _glibc("malloc_trim")
    if trim is not None:
        trim(0)
