"""Decoded fields as JSON text."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any


def _bytes(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"expected a decoded value, found {type(value).__name__}")


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_bytes)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def fields_as_json(fields: Mapping[Any, Any]) -> str:
    """A decoded message as one JSON object.

    As protobuf's own JSON has it, bytes are base64 and a float that JSON cannot say is ``"NaN"``, ``"Infinity"``
    or ``"-Infinity"``; but every integer is a number, and unknown fields stand there by number.
    """
    try:
        return _encoder.encode(fields)
    except ValueError:  # a float that is not finite
        return _encoder.encode(_finite(fields))
