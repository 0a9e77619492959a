"""Hashes and cipher of the MPQ format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from playhead.blizzard.mpq.crypt import KEY, NAME_A, NAME_B, decrypt, encrypt, hash_name, member_key


def test_published_values() -> None:
    # The keys of the two tables, as every description of the format gives them.
    assert hash_name("(hash table)", KEY) == 0xC3AF3770
    assert hash_name("(block table)", KEY) == 0xEC83B3A3
    assert hash_name("(listfile)", NAME_A) == 0xFD657910
    assert hash_name("(listfile)", NAME_B) == 0x4E9B98A7


def test_names_ignore_case_and_slashes() -> None:
    assert hash_name("replay.initData", NAME_A) == hash_name("REPLAY.INITDATA", NAME_A)
    assert hash_name("a/b", NAME_B) == hash_name("A\\B", NAME_B)
    assert member_key("folder\\(listfile)") == member_key("(listfile)") == 0x2D2F0A94


@given(st.binary(max_size=64), st.integers(0, 2**32 - 1))
def test_round_trip(data: bytes, key: int) -> None:
    sealed = encrypt(data, key)
    assert len(sealed) == len(data)
    assert decrypt(sealed, key) == data
    if len(data) >= 12:
        assert decrypt(sealed, key ^ 1) != data
