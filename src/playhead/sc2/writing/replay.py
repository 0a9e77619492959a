"""Writes the header and the decoded members of a replay: the mirror image of `sc2.members`.

Together with `playhead.sc2.mpq.writer` it makes whole replays, for samples and tests.
"""

from __future__ import annotations

import json

from playhead.sc2.encoding.versioned_writer import VersionedWriter
from playhead.sc2.members.details import Details, DetailsPlayer
from playhead.sc2.members.header import ReplayHeader
from playhead.sc2.members.metadata import GameMetadata


def _u8_field(out: VersionedWriter, number: int, value: bool | None) -> None:
    out.write_field_number(number)
    out.write_u8(1 if value else 0)


def _field(out: VersionedWriter, number: int, value: object) -> None:
    out.write_field_number(number)
    out.write_value(value)


def write_header(header: ReplayHeader) -> bytes:
    """Return the tagged header with the fields of today's builds."""
    out = VersionedWriter()
    out.begin_struct(9)
    _field(out, 0, header.signature)
    version = (header.flags, header.major, header.minor, header.revision, header.build, header.base_build)
    _field(out, 1, dict(enumerate(version)))
    _field(out, 2, header.type)
    _field(out, 3, header.loops)
    _u8_field(out, 4, header.use_scaled_time)
    _field(out, 5, {1: header.ngdp_root_key or bytes(16)})
    _field(out, 6, header.build if header.data_build is None else header.data_build)
    _field(out, 7, {1: header.compatibility_hash or bytes(16)})
    _u8_field(out, 8, header.ngdp_root_key_is_dev_data)
    return out.to_bytes()


def _write_player(out: VersionedWriter, player: DetailsPlayer) -> None:
    toon = player.toon
    out.begin_struct(11)
    _field(out, 0, player.marked_name.encode())
    out.write_field_number(1)
    out.begin_struct(4)
    _field(out, 0, toon.region)
    out.write_field_number(1)
    out.write_u32(int.from_bytes(toon.program.encode().rjust(4, b"\0"), "little"))
    _field(out, 2, toon.realm)
    _field(out, 4, toon.id)
    _field(out, 2, player.race.encode())
    _field(out, 3, dict(enumerate(player.color)))
    for number, value in enumerate(
        (player.control, player.team, player.handicap, player.observe, player.result), 4
    ):
        _field(out, number, value)
    out.write_field_number(9)
    out.begin_optional(player.working_set_slot is not None)
    if player.working_set_slot is not None:
        out.write_value(player.working_set_slot)
    _field(out, 10, player.hero.encode())


def write_details(details: Details) -> bytes:
    """Return ``replay.details`` with the fields of today's builds."""
    out = VersionedWriter()
    out.begin_struct(18)
    out.write_field_number(0)
    out.begin_optional(True)
    out.begin_array(len(details.players))
    for player in details.players:
        _write_player(out, player)
    _field(out, 1, details.title.encode())
    _field(out, 2, details.difficulty.encode())
    _field(out, 3, {0: details.thumbnail.encode()})
    _u8_field(out, 4, details.is_blizzard_map)
    _field(out, 5, details.time_utc)
    _field(out, 6, details.time_local_offset)
    _field(out, 7, details.description.encode())
    _field(out, 8, details.image_file_path.encode())
    _field(out, 9, details.map_file.encode())
    out.write_field_number(10)
    out.begin_optional(True)
    out.write_value(list(details.cache_handles))
    _u8_field(out, 11, details.mini_save)
    _field(out, 12, details.game_speed)
    _field(out, 13, details.default_difficulty)
    out.write_field_number(14)
    out.begin_optional(details.mod_paths is not None)
    if details.mod_paths is not None:
        out.write_value([path.encode() for path in details.mod_paths])
    _field(out, 15, details.campaign_index or 0)
    out.write_field_number(16)
    out.begin_optional(details.restart_as_transition_map is not None)
    if details.restart_as_transition_map is not None:
        out.write_u8(1 if details.restart_as_transition_map else 0)
    _u8_field(out, 17, details.disable_recover_game)
    return out.to_bytes()


def write_metadata(metadata: GameMetadata) -> bytes:
    """Return ``replay.gamemetadata.json``: `GameMetadata.raw` after a byte order mark, as the game writes it."""
    return b"\xef\xbb\xbf" + json.dumps(metadata.raw, ensure_ascii=False, indent=4).encode()
