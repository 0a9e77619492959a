"""Anonymized real StarCraft II replays of every era."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import CONTROL_COMPUTER
from playhead.blizzard.protocol.tables import GAME, MESSAGE
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.writing import Anonymized, anonymize

_REPLACED = frozenset({"m_clanTag", "m_toonHandle", "m_clanLogo", "m_string", "m_chatMessage"})


def replays(corpus: Path, step: int = 1) -> Iterator[Sc2Replay]:
    for _, replay in sc2_replays(corpus / "sc2", step):
        if replay.recording.container.archive is not None:
            yield replay


def anonymized(replay: Sc2Replay) -> tuple[Anonymized, Sc2Replay]:
    done = anonymize(replay.recording, salt=b"corpus")
    after = open_as(Sc2Replay, done.data)
    return done, after


def masked(value: Any, inside: str = "") -> Any:
    """Return a decoded value without the replaced parts."""
    if isinstance(value, dict):
        return {
            key: None
            if key in _REPLACED or (key == "m_name" and inside in ("m_userInfos", "m_userInitialData"))
            else masked(inner, key)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [masked(inner, inside) for inner in value]
    return value


def scrubbed(text: bytes, done: Anonymized) -> bytes:
    for original, pseudonym in done.replaced.items():
        text = text.replace(original.encode(), pseudonym.encode())
    return text


@pytest.mark.slow_interpreted
def test_no_person_is_named(corpus: Path, short_step: int) -> None:
    """No name, clan, handle or line of chat in any member."""
    chat = names = files = 0
    for replay in replays(corpus, 3 * short_step):
        done, after = anonymized(replay)
        files += 1
        assert after.recording.container.archive is not None
        assert after.recording.container.header == replay.recording.container.header
        if files % 4 == 0:
            assert {problem.where for problem in after.problems} <= {problem.where for problem in replay.problems}
        said = {text for text in replay.table("chat").column("text").to_pylist() if text and len(text) > 7}
        assert not any(after.table("chat").column("text").to_pylist())
        chat += done.chat
        names += len(done.replaced)
        # Shorter texts occur in any data by chance.
        originals = [text.encode() for text in (*done.replaced, *said) if len(text.encode()) >= 4]
        for name in after.recording.container.archive.names:
            data = after.recording.container.archive.read(name, lambda _: None)
            for original in originals:
                assert original not in data, (replay.name, name, original)
        for before, now in zip(replay.players, after.players, strict=True):
            changed = (before.player, before.kind, before.team, before.result, before.character)
            assert changed == (now.player, now.kind, now.team, now.result, now.character)
            if before.details.get("control") != CONTROL_COMPUTER:
                assert before.name is None or before.name != now.name
                assert before.account is None or before.account != now.account
        assert set(done.removed) <= {member_names.BATTLE_LOBBY}
        assert done.cut == (() if "base_only" not in replay.name else (member_names.METADATA,))
    assert files >= 109 // short_step
    assert min(chat, names) > 500 // short_step


@pytest.mark.slow_interpreted
def test_every_event_is_the_same(corpus: Path, step: int) -> None:
    compared = texts = 0
    for replay in replays(corpus, 20 * step):
        done, after = anonymized(replay)
        for stream in (GAME, MESSAGE):
            for event, new in zip(replay.events(stream), after.events(stream), strict=True):
                assert (event.tick, event.user, event.player, event.number) == (
                    new.tick,
                    new.user,
                    new.player,
                    new.number,
                )
                if event.raw != new.raw:
                    fields = dict(event.raw)
                    profile = fields.get("m_hotkeyProfile")
                    if profile is not None:  # some call it by their own name
                        fields["m_hotkeyProfile"] = scrubbed(profile, done)
                    assert masked(fields) == masked(dict(new.raw))
                    texts += 1
                compared += 1
        untouched = (
            member_names.TRACKER_EVENTS,
            member_names.SYNC_EVENTS,
            member_names.SMARTCAM,
            member_names.GAME_ATTRIBUTES,
            member_names.LOAD_INFO,
            member_names.PREVIEW,
        )
        for name in untouched:
            assert replay.recording.container.archive is not None
            if name in replay.recording.container.archive:
                assert replay.recording.container.read_member(name) == after.recording.container.read_member(name)
        if replay.recording.lobby is not None:
            assert after.recording.lobby is not None
            for mine, theirs in (
                (replay.recording.lobby.users, after.recording.lobby.users),
                (replay.recording.lobby.slots, after.recording.lobby.slots),
            ):
                assert masked(list(mine), "m_userInitialData") == masked(list(theirs), "m_userInitialData")
    assert compared > 100_000 // step
    assert texts > 50 // step


@pytest.mark.slow_interpreted
def test_a_resumed_game(corpus: Path) -> None:
    """The game's events name the player who took over."""
    found = 0
    for replay in replays(corpus):
        if "bad_unit_ids" not in replay.name:
            continue
        done, after = anonymized(replay)
        for event, new in zip(replay.events(GAME), after.events(GAME), strict=True):
            for info, now in zip(event.raw.get("m_userInfos", ()), new.raw.get("m_userInfos", ()), strict=True):
                assert now["m_name"].decode() == done.replaced[info["m_name"].decode()]
                found += 1
    assert found >= 2


@pytest.mark.slow_interpreted
def test_pseudonyms_are_the_same_in_every_file(corpus: Path, step: int) -> None:
    made: dict[str, str] = {}
    repeated = 0
    for replay in replays(corpus, 3 * step):
        for original, pseudonym in anonymize(replay.recording, salt=b"corpus").replaced.items():
            repeated += original in made
            assert made.setdefault(original, pseudonym) == pseudonym
    assert repeated > 50 // step**2  # pairs of files
    assert len(set(made.values())) >= len({original.casefold() for original in made}) - 5


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_others_read_them(corpus: Path, step: int) -> None:
    mpyq: Any = pytest.importorskip("mpyq", reason="mpyq is not installed")
    versions: Any = pytest.importorskip("s2protocol.versions", reason="s2protocol is not installed")
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    read = {"s2protocol": 0, "sc2reader": 0}
    for replay in replays(corpus, 18 if step == 1 else 54):
        done, after = anonymized(replay)
        assert replay.recording.container.header is not None
        try:
            protocol = versions.build(replay.recording.container.header.base_build)
            original = mpyq.MPQArchive(io.BytesIO(bytes(replay.recording.container.data)))
            games = [
                list(protocol.decode_replay_game_events(archive.read_file(member_names.GAME_EVENTS)))
                for archive in (original, mpyq.MPQArchive(io.BytesIO(done.data)))
            ]
        except (Exception, SystemExit):
            games = []  # no table for the build, or its container reader fails
        if games:
            read["s2protocol"] += 1
            assert len(games[0]) == len(games[1]) > 0
            archive = mpyq.MPQArchive(io.BytesIO(done.data))
            assert after.recording.details is not None
            name = after.info.details["details_member"]
            details = protocol.decode_replay_details(archive.read_file(name))
            shown = [player["m_name"].decode() for player in details["m_playerList"]]
            assert shown == [player.marked_name for player in after.recording.details.players]
            if (
                after.recording.container.archive is not None
                and member_names.INIT_DATA in after.recording.container.archive
            ):
                protocol.decode_replay_initdata(archive.read_file(member_names.INIT_DATA))
        try:
            expected = sc2reader.load_replay(io.BytesIO(bytes(replay.recording.container.data)), load_level=4)
        except Exception:
            continue  # betas, computers without cache handles, …
        found = sc2reader.load_replay(io.BytesIO(done.data), load_level=4)
        read["sc2reader"] += 1
        assert len(found.events) == len(expected.events)
        assert [type(event) for event in found.events] == [type(event) for event in expected.events]
        assert [player.result for player in found.players] == [player.result for player in expected.players]
        shown = {player.name for player in found.humans} & {player.name for player in expected.humans}
        assert shown <= {""}
    assert read["s2protocol"] >= (6 if step == 1 else 2)
    assert read["sc2reader"] >= (10 if step == 1 else 3)
