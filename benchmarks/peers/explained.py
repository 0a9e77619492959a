"""Known differences between parsers, each with its evidence in the peer's source.

Versions: source2-demo 0.5.10, manta 1.5.0, gem-dota 0.14.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from canonical import read_floats, single

# All three assume 30 ticks per second, regardless of the server.
_TICKS_PER_SECOND = 30

_ENCODE_ZERO = 4
_FLOAT32_STEP = 2.0**-23
_MANA_OF_2015 = 8192.0
#: Step of precise angles, in degrees.
_TURN = 360.0 / 2**20


@dataclass(frozen=True)
class Difference:
    """A field on which playhead and a peer disagree; None is a missing value.

    Attributes:
        about: name, kind and quantization of every field of playhead's entity, by key.
        mine: playhead's values, by key.
    """

    peer: str
    key: str
    ours: Any
    theirs: Any
    about: dict[str, list[Any]]
    mine: dict[str, Any]

    @property
    def kind(self) -> str | None:
        """The encoding: the name of a `playhead.source2.schema.encoding.Kind`."""
        return self.about[self.key][1] if self.key in self.about else None


def means_the_same(difference: Difference) -> bool:
    """Return whether the peer shows the same value in another form: ticks as seconds, missing angles as a flag."""
    floats = read_floats(difference.theirs)
    if difference.kind == "TICKS" and floats is not None:
        return round(floats[0] * _TICKS_PER_SECOND) == difference.ours
    return False


def explain_field(difference: Difference) -> str | None:
    """Return the reason for a different field; None if unknown."""
    for rule in (_hidden, _kept, _sent, _turned, _quantized):
        reason = rule(difference)
        if reason is not None:
            return reason
    return None


def _hidden(difference: Difference) -> str | None:
    # Entity::fields, Entity.to_map and manta's state (field_state.go, set) list values; parents of other fields
    # are missing there, or share their place.
    if difference.theirs is None and difference.kind in ("POINTER", "LENGTH"):
        return "pointers and lengths of vectors are not shown by the peer"
    return None


def _kept(difference: Difference) -> str | None:
    if difference.ours is not None:
        return None
    # Neither manta (field_state.go) nor source2-demo (field/state.rs) forgets elements of a shortened vector or
    # fields of a cleared pointer; gem-dota and clarity do.
    parts = difference.key.split(".")
    for end in range(1, len(parts)):
        parent = ".".join(parts[:end])
        if parent not in difference.mine:
            continue
        kind, value = difference.about[parent][1], difference.mine[parent]
        if kind == "LENGTH" and int(parts[end]) >= value:
            return "elements past the end of a vector that was made shorter are kept by the peer"
        if kind == "POINTER" and not value:
            return "fields below a pointer that leads nowhere are kept by the peer"
    return None


def _sent(difference: Difference) -> str | None:
    ours, theirs, kind = difference.ours, difference.theirs, difference.kind
    if kind == "BYTES" and isinstance(ours, str) and isinstance(theirs, str):
        # FieldDecoder::BinaryBlock converts the bytes to a string, which loses invalid UTF-8.
        text = bytes.fromhex(ours[2:]).decode("utf-8", "replace")
        return "source2-demo shows bytes as text" if theirs == "s:" + text else None
    if not isinstance(ours, int) or not isinstance(theirs, int) or isinstance(ours, bool):
        return None
    if kind == "SIGNED":
        zigzag = ((ours << 1) ^ (ours >> 31)) & 0xFFFFFFFF
        if theirs == zigzag:
            # PlayerID_t, AbilityID_t and enumerations with is_signed_enum get the default, an unsigned varint,
            # in field_decoder.go (findDecoder) and field/decoder.rs (from_field); gem-dota and clarity know
            # them.
            return "a signed number whose type the peer treats as unsigned: shown in its zigzag encoding"
        signed = zigzag - (1 << 32) if zigzag >> 31 else zigzag
        if difference.peer == "source2-demo" and theirs == (~(signed >> 1) if signed & 1 else signed >> 1):
            # stream/reader/slice.rs, read_var_i32 shifts an i32, which shifts in its sign.
            return "source2-demo loses the highest bit of a signed number (m_nRandomSeedOffset)"
    if kind == "SIGNED64" and theirs == (((ours << 1) ^ (ours >> 63)) & 0xFFFFFFFF):
        return "source2-demo reads int64 as an unsigned varint of 32 bits"
    if kind == "UNSIGNED" and ours >> 32 and theirs == ours & 0xFFFFFFFF:
        # MatchID_t and itemid_t get the default, which is 32 bits wide in all three.
        return "a number of more than 32 bits whose type the peer does not know: its lowest 32 bits"
    if kind == "UNSIGNED" and difference.peer == "source2-demo" and theirs == (ours >> 1) ^ -(ours & 1):
        # field/decoder.rs: HeroID_t is signed, as in Dota 2. In Deadlock it is not: 1, 3, 6 … 50 are its heroes.
        return "source2-demo reads HeroID_t of Deadlock as signed"
    if kind == "SEQUENCE" and difference.peer == "source2-demo" and theirs == ours + 1:
        # HSequence is sent with 1 added; manta, gem-dota and clarity subtract it (hSequenceDecoder).
        return "source2-demo shows a sequence in its encoding, with 1 added"
    if kind == "SEQUENCE" and theirs == (ours + 1 >> 1) ^ -(ours + 1 & 1):
        # m_iClip1 is declared as int32: all three read a zigzag number. Full magazines have the number less 1.
        return "m_iClip1: the peer shows its encoding, with 1 added, as a signed number"
    return None


def _turned(difference: Difference) -> str | None:
    if difference.kind != "ANGLES_PRECISE" or difference.theirs is None:
        return None
    ours, theirs = read_floats(difference.ours), read_floats(difference.theirs)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    turned = [single(round((mine + 180.0) / _TURN) * _TURN) for mine in ours]
    if all(other in each for other, *each in zip(theirs, ours, turned, strict=True)):
        # Bodies look where their eyes look only with the numbers less 180 (tests/real/test_source2_values.py).
        return "precise angles are shown without the 180 degrees that the engine subtracts"
    return None


def _quantized(difference: Difference) -> str | None:
    if difference.kind != "QUANTIZED" or difference.theirs is None:
        return None
    name, _, quantization = difference.about[difference.key]
    ours, theirs = read_floats(difference.ours), read_floats(difference.theirs)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    pairs = list(zip(ours, theirs, strict=True))
    low, span, step, flags, most = (
        quantization[key] for key in ("low", "range", "step", "flags", "declared_high")
    )

    if name == "m_flRuneTime" and difference.theirs == f"f:{int(ours[0]):08x}":
        # runeTimeDecoder and similar: the field declares 4 bits and a range that exceeds float32. clarity and
        # playhead show the number as if it had no range.
        return "m_flRuneTime: the peer treats its 4 bits as those of a float"

    def decoded(value: float, low_: float, span_: float) -> float:
        number = float(round((value - low) / (span * step)))
        return single(low_ + single(single(span_ * number) * step))

    if all(mine == other or decoded(mine, low, span) == other for mine, other in pairs):
        # quantizedfloat.go and field/decoder.rs: low + (high - low) * number * step, from left to right. clarity
        # and playhead multiply number and step first. The engine's order is unknown.
        return "a quantized float's last bit: range × number × step in another order"
    if difference.peer == "source2-demo" and flags & _ENCODE_ZERO and low == 0.0:
        # validate_flags turns "keep zero" at the low end into RoundUp; manta, gem-dota and clarity turn it into
        # rounddown, which keeps the low end.
        raised = single(most - span)
        if all(decoded(mine, raised, single(most - raised)) == other for mine, other in pairs):
            return "source2-demo keeps the wrong end of a quantized range that begins with zero"
    if difference.peer == "gem-dota":
        # quantized_float.py: "the float64 bounds and multipliers above are kept for decoding values".
        if all(abs(mine - other) <= (abs(low) + span) * _FLOAT32_STEP for mine, other in pairs):
            return "gem-dota computes quantized floats in 64 bits"
        # parser.py assumes build 0 if game_dir has no version, and patches.py then uses the mana range of 2015.
        if name in ("m_flMana", "m_flMaxMana") and all(
            abs(mine / most * _MANA_OF_2015 - other) <= _MANA_OF_2015 * _FLOAT32_STEP for mine, other in pairs
        ):
            return "gem-dota takes a game_dir without a version for a build of 2015, and its range of mana"
    return None


def explain_item(
    peer: str, table: str, ours: list[Any] | None, theirs: list[Any] | None, witness: list[Any] | None
) -> str | None:
    """Return the reason for a different string-table entry; None if unknown.

    `witness` is source2-demo's entry in that place, if it can play the file.
    """
    if peer == "source2-demo" and table == "decalprecache" and theirs is None:
        return "source2-demo leaves messages for the table decalprecache out (string_table/mod.rs)"
    if peer in ("manta", "gem-dota") and ours is not None and witness is not None and ours[1] == witness[1]:
        # string_table.go, onCDemoStringTables: "Let's ignore them for now"; parser.py: "skipped, as in Manta".
        return "the peer ignores entries that are only in a dump (DEM_StringTables, full packets)"
    return None


_FAILURES: tuple[tuple[str, str, str], ...] = ()


def explain_failure(peer: str, game: str, error: str) -> str | None:
    """Return the reason why a peer cannot play a file; None if it should be able to."""
    if not reads(peer, game):
        return f"it reads Dota 2 only, not {game}"
    for name, pattern, reason in _FAILURES:
        if name == peer and re.search(pattern, error):
            return reason
    return None


def reads(peer: str, game: str) -> bool:
    """Return whether a peer claims to support a game's recordings."""
    return peer == "source2-demo" or game == "dota2"
