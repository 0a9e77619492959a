"""Quantized floats: a number in a range, sent as a few bits, computed in float32 as the engine does.

One rounding in another width can decide whether a flag bit is sent, which would misalign the rest of the
message. So every step here is rounded to float32.
"""

from __future__ import annotations

from array import array
from math import isfinite

from playhead.errors import CorruptReplay
from playhead.runtime.records import NamedTuple

LOW, HIGH, ZERO, INTEGERS = 1, 2, 4, 8

# Tried in turn if the largest step would be above the range.
_SHRINK = (0.9999, 0.99, 0.9, 0.8, 0.7)


def single(value: float) -> float:
    """Round `value` to float32."""
    return array("f", (value,))[0]


class QuantizedFloat(NamedTuple):
    """Quantization of one field; all numbers are float32 values.

    Attributes:
        bit_count: width of a number.
        flags: leading bits: 1: the value is `low`; 2: it is `high`; 4: it is 0.0; in this order.
        low, high: the range.
        step: a unit of the number as a fraction of the range.
    """

    bit_count: int
    flags: int
    low: float
    high: float
    step: float

    @property
    def range(self) -> float:
        return single(self.high - self.low)


def quantized_float(bit_count: int, flags: int, low: float | None, high: float | None) -> QuantizedFloat:
    """Return the quantization that a field declares.

    An undeclared range is 0 to 1. A range too wide for float32 (Dota's m_flRuneTime declares plus and minus
    FLT_MAX) counts as undeclared; the numbers are then used unscaled.
    """
    if not 1 <= bit_count <= 31:
        raise CorruptReplay(f"expected a quantized float of 1 to 31 bits, found {bit_count}")
    low = 0.0 if low is None else single(low)
    high = 1.0 if high is None else single(high)
    if not isfinite(low) or not isfinite(high):
        raise CorruptReplay(f"expected a finite range of a quantized float, found {low} to {high}")
    if not isfinite(single(high - low)):
        return QuantizedFloat(bit_count, 0, 0.0, 1.0, 1.0)
    if high < low:
        raise CorruptReplay(f"expected the range of a quantized float, found {low} to {high}")
    flags = _clean(flags, low, high)
    steps = 1 << bit_count
    if flags & LOW:
        high = single(high - single(single(high - low) / steps))
    elif flags & HIGH:
        low = single(low + single(single(high - low) / steps))
    if flags & INTEGERS:
        wanted = 1
        while wanted < max(single(high - low), 1.0):
            wanted *= 2
        while (1 << bit_count) <= wanted and bit_count < 31:
            bit_count += 1
        steps = 1 << bit_count
        high = single(single(low + wanted) - single(wanted / steps))
    step = single(1.0 / single(steps - 1))
    scale = _scale(steps - 1, single(high - low))

    def nearest(value: float) -> float:
        if value < low:
            return low
        if value > high:
            return high
        scaled = single(single(value - low) * scale)
        if not isfinite(scaled):
            raise CorruptReplay(f"expected a wider range of a quantized float, found {low} to {high}")
        number = int(scaled)
        return single(low + single(single(high - low) * single(single(float(number)) * step)))

    if flags & LOW and nearest(low) == low:
        flags &= ~LOW
    if flags & HIGH and nearest(high) == high:
        flags &= ~HIGH
    if flags & ZERO and nearest(0.0) == 0.0:
        flags &= ~ZERO
    return QuantizedFloat(bit_count, flags, low, high, step)


def _clean(flags: int, low: float, high: float) -> int:
    """Return the flags without those that make no difference."""
    if (low == 0.0 and flags & LOW) or (high == 0.0 and flags & HIGH):
        flags &= ~ZERO
    if low == 0.0 and flags & ZERO:
        flags = flags & ~ZERO | LOW
    if high == 0.0 and flags & ZERO:
        flags = flags & ~ZERO | HIGH
    if low > 0.0 or high < 0.0:
        flags &= ~ZERO
    if flags & INTEGERS:
        flags &= ~(LOW | HIGH | ZERO)
    return flags


def _scale(most: int, span: float) -> float:
    """Return the numbers per unit of the range, such that the top of the range stays within the largest number."""
    if span <= 0.0:
        return single(most)
    scale = single(single(most) / span)
    # Both comparisons of the engine: with the number rounded to float32 and with the number itself.
    if single(scale * span) > single(most) or single(scale * span) > most:
        for factor in _SHRINK:
            scale = single(single(single(most) / span) * single(factor))
            if single(scale * span) <= single(most) and single(scale * span) <= most:
                break
    return scale
