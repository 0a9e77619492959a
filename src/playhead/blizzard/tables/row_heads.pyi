from array import array
from collections.abc import Mapping

from playhead.runtime.libraries import pa

def row_heads(
    orders: array[int] | None, ticks: array[int], users: array[int], players: Mapping[int, int], rate: float
) -> dict[str, pa.Array]: ...
