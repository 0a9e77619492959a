"""Writes the header and the details of a replay: the mirror image of `blizzard.members`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from playhead.blizzard.encoding.versioned_writer import AsOptional, AsU8, AsU32, VersionedWriter
from playhead.blizzard.members.details import Details, DetailsPlayer
from playhead.blizzard.members.header import ReplayHeader


def _written(value: object) -> bytes:
    out = VersionedWriter()
    out.write_value(value)
    return out.to_bytes()


def write_header(header: ReplayHeader) -> bytes:
    """Return the tagged header with the fields of today's builds."""
    version = (header.flags, header.major, header.minor, header.revision, header.build, header.base_build)
    fields = (
        *(
            header.signature,
            dict(enumerate(version)),
            header.type,
            header.loops,
            AsU8(bool(header.use_scaled_time)),
        ),
        {1: header.ngdp_root_key or bytes(16)},
        header.build if header.data_build is None else header.data_build,
        {1: header.compatibility_hash or bytes(16)},
        AsU8(header.ngdp_root_key_is_dev_data),
    )
    return _written(dict(enumerate(fields)))


def _player(player: DetailsPlayer) -> dict[int, Any]:
    """Return an entry of the player list by the numbers of its fields."""
    toon = player.toon
    program = AsU32(int.from_bytes(toon.program.encode().rjust(4, b"\0"), "little"))
    fields = (
        *(player.marked_name.encode(), {0: toon.region, 1: program, 2: toon.realm, 4: toon.id}),
        *(player.race.encode(), dict(enumerate(player.color)), player.control, player.team, player.handicap),
        *(player.observe, player.result, AsOptional(player.working_set_slot), player.hero.encode()),
    )
    return dict(enumerate(fields))


def write_details(details: Details) -> bytes:
    """Return ``replay.details`` with the fields of today's builds."""
    mods, restart = details.mod_paths, details.restart_as_transition_map
    fields = (
        *(AsOptional(list(map(_player, details.players))), details.title.encode(), details.difficulty.encode()),
        *({0: details.thumbnail.encode()}, AsU8(details.is_blizzard_map)),
        *(details.time_utc, details.time_local_offset, details.description.encode()),
        *(details.image_file_path.encode(), details.map_file.encode(), AsOptional(list(details.cache_handles))),
        *(AsU8(details.mini_save), details.game_speed, details.default_difficulty),
        AsOptional(None if mods is None else [path.encode() for path in mods]),
        details.campaign_index or 0,
        AsOptional(None if restart is None else AsU8(restart)),
        AsU8(details.disable_recover_game),
    )
    return _written(dict(enumerate(fields)))


def new_details(
    title: str, players: Iterable[DetailsPlayer], ended: datetime, cache_handles: Iterable[bytes], difficulty: int
) -> Details:
    """Return the details of a ladder game that ended then, played on one of Blizzard's maps in Central Europe."""
    since = ended - datetime(1601, 1, 1, tzinfo=UTC)
    return Details(
        players=tuple(players),
        title=title,
        difficulty="",
        thumbnail="Minimap.tga",
        is_blizzard_map=True,
        time_utc=int(since.total_seconds()) * 10_000_000,  # of 100 ns
        time_local_offset=3600 * 10_000_000,
        restart_as_transition_map=False,
        description="",
        image_file_path="",
        map_file="",
        cache_handles=tuple(cache_handles),
        mini_save=False,
        game_speed=4,
        default_difficulty=difficulty,
        mod_paths=None,
        campaign_index=0,
        disable_recover_game=False,
    )
