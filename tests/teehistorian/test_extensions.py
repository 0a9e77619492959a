from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import playhead
from playhead import TruncatedReplay
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.extensions import (
    EXTENSIONS,
    AuthLogin,
    Extension,
    ExtensionNames,
    decode_extension,
    encode_extension,
    extension_client,
    named_uuid,
)
from playhead.teehistorian.stream.messages import Extra, Finish
from playhead.teehistorian.writing.writer import TeehistorianWriter

# As recorded by real servers.
UUIDS = {
    "teehistorian-test@ddnet.tw": "6bb8ba88-0f0b-382e-8dae-dbf4052b8b7d",
    "teehistorian-auth-init@ddnet.tw": "60daba5c-52c4-3aeb-b8ba-b2953fb55a17",
    "teehistorian-auth-login@ddnet.tw": "37ecd3b8-9218-3bb9-a71b-a935b86f6a81",
    "teehistorian-auth-logout@ddnet.tw": "d4f5abe8-edd2-3fb9-abd8-1c8bb84f4a63",
    "teehistorian-ddnetver-old@ddnet.tw": "41b49541-f26f-325d-8715-9baf4b544ef9",
    "teehistorian-ddnetver@ddnet.tw": "1397b63e-ee4e-3919-b86a-b058887fcaf5",
    "teehistorian-joinver6@ddnet.tw": "1899a382-71e3-36da-937d-c9de6bb95b1d",
    "teehistorian-joinver7@ddnet.tw": "59239b05-0540-318d-bea4-9aa1e80e7d2b",
    "teehistorian-save-success@ddnet.tw": "4560c756-da29-3036-81d4-90a50f0182cd",
    "teehistorian-save-failure@ddnet.tw": "b29901d5-1244-3bd0-bbde-23d04b1f7ba9",
    "teehistorian-load-success@ddnet.tw": "e05408d3-a313-33df-9eb3-ddb990ab954a",
    "teehistorian-load-failure@ddnet.tw": "ef8905a2-c695-3591-a1cd-53d2015992dd",
    "teehistorian-player-team@ddnet.tw": "a111c04e-1ea8-38e0-90b1-d7f993ca0da9",
    "teehistorian-team-practice@ddnet.tw": "5792834e-81d1-34c9-a29b-b5ff25dac3bc",
    "teehistorian-player-ready@ddnet.tw": "638587c9-3f75-3887-918e-a3c2614ffaa0",
    "teehistorian-player-swap@ddnet.tw": "5de9b633-49cf-3e99-9a25-d4a78e9717d7",
    "teehistorian-rejoinver6@ddnet.org": "c1e921d5-96f5-37bb-8a45-7a06f163d27e",
    "teehistorian-antibot@ddnet.org": "866bfdac-fb49-3c0b-a887-5fe1f3ea00b8",
    "teehistorian-player-name@ddnet.org": "d016f9b9-4151-3b87-87e5-3a6087eb5f26",
    "teehistorian-player-finish@ddnet.org": "68943c01-2348-3e01-9490-3f27f8269d94",
    "teehistorian-team-finish@ddnet.org": "9588b9af-3fdc-3760-8043-82deeee317a5",
}

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
FIELDS = {
    "int": INT32,
    "str": st.binary(max_size=20).map(lambda raw: raw.replace(b"\0", b"").decode("utf-8", "surrogateescape")),
    "UUID": st.uuids(),
    "bytes": st.binary(max_size=40),
}
RECORDS = st.sampled_from(sorted(EXTENSIONS.values(), key=lambda record: record.extension_name)).flatmap(
    lambda record: st.builds(record, *(FIELDS[record.__annotations__[name]] for name in record.__match_args__))
)


def test_all_21_have_the_uuids_of_real_files() -> None:
    assert {record.extension_name: str(uuid) for uuid, record in EXTENSIONS.items()} == UUIDS


@given(RECORDS)
def test_records_survive_encoding(record: Extension) -> None:
    extra = encode_extension(record)
    assert decode_extension(extra) == record
    assert encode_extension(record) == extra


def test_payload_bytes() -> None:
    record = extensions.DDNetVersion(1, UUID(int=5), 18090, "v")
    assert encode_extension(record).data == b"\x01" + bytes(15) + b"\x05" + b"\xaa\x9a\x02" + b"v\0"


@given(RECORDS, st.data())
def test_short_payloads_are_truncated_and_longer_ones_of_newer_servers_accepted(
    record: Extension, data: st.DataObject
) -> None:
    extra = encode_extension(record)
    if not isinstance(record, extensions.Antibot):
        assert decode_extension(Extra(extra.uuid, extra.data + b"\x01more")) == record
    if extra.data and not isinstance(record, extensions.Antibot):
        cut = data.draw(st.integers(0, len(extra.data) - 1))
        with pytest.raises(TruncatedReplay):
            decode_extension(Extra(extra.uuid, extra.data[:cut]))


def test_unknown_extensions_are_named_by_the_header_or_by_their_uuid() -> None:
    known = named_uuid("my-own@mod.example")
    assert decode_extension(Extra(known, b"anything")) is None
    names = ExtensionNames(["my-own@mod.example"])
    assert names[known] == "my-own@mod.example"
    assert names[UUID(int=7)] == str(UUID(int=7))
    assert names[extensions.Antibot.uuid] == "teehistorian-antibot@ddnet.org"


def test_client_of_an_extension() -> None:
    assert extension_client(encode_extension(extensions.PlayerName(100, "x"))) == 100
    assert extension_client(encode_extension(extensions.PlayerSwap(3, 4))) == 3
    assert extension_client(encode_extension(extensions.TeamFinish(3, 4))) is None
    assert extension_client(encode_extension(extensions.PlayerName(128, "x"))) is None
    assert extension_client(Extra(extensions.PlayerName.uuid, b"\x80")) is None
    assert extension_client(Extra(extensions.PlayerName.uuid, b"")) is None
    assert extension_client(Extra(UUID(int=0), b"\x01")) is None


@pytest.mark.parametrize(
    ("role", "level"), [("admin", 3), ("Moderator", 2), ("helper", 1), ("night watch", -1), ("", 0)]
)
def test_roles_by_name(role: str, level: int) -> None:
    """Servers since September 2026 write a name where the number was."""
    named = Extra(AuthLogin.uuid, b"\x05" + (role.encode() + b"\0") + b"default_key\0")
    found = decode_extension(named)
    assert found == AuthLogin(5, level, "default_key", role=role)
    assert encode_extension(found) == named
    for number in range(4):
        numbered = AuthLogin(5, number, "default_key")
        assert decode_extension(encode_extension(numbered)) == numbered
    with pytest.raises(TruncatedReplay):
        decode_extension(Extra(AuthLogin.uuid, b"\x05admin\0default"))


def test_an_unknown_extension_is_kept_named_and_counted() -> None:
    ours, listed = UUID(int=77), named_uuid("teehistorian-future@ddnet.org")
    writer = TeehistorianWriter({"version": "2", "uuids": ["teehistorian-future@ddnet.org"]})
    for uuid in (ours, listed, ours):
        writer.record(Extra(uuid, b"whatever it says"))
    writer.record(Finish())
    replay = playhead.open(writer.to_bytes(), strict=True)
    assert replay.problems == ()
    names = replay.table("messages").column("extension").to_pylist()
    assert names.count(str(ours)) == 2
    assert names.count("teehistorian-future@ddnet.org") == 1
    kept = [event.record for event in replay.events("extension_recorded")]
    assert kept == [Extra(uuid, b"whatever it says") for uuid in (ours, listed, ours)]
