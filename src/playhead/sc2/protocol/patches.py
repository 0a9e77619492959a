"""Corrections and additions to Blizzard's published tables: see `playhead.blizzard.protocol.patches`.

Each was found by decoding real replays to the last byte with and without it. Builds before 24944 store the user id
as a plain 5-bit number, even where their tables do not say so. That needs no patch: the event decoder reads five
bits in every build.
"""

from __future__ import annotations

from playhead.blizzard.protocol.patches import Patch

_INT7 = ["int", 0, 7]
_DESCRIPTION = "m_syncLobbyState.m_gameDescription"

PATCHES: tuple[Patch, ...] = (
    Patch(
        "retail 1.0 in base build 15405",
        "Retail 1.0.0 to 1.0.3 and beta 0.19 have base build 15405 like the betas before, but write cameras and "
        "the lobby as 1.1 does, and an optional bit array in control group updates.",
        15405,
        15976,
        from_build=15976,
        steps=(
            ("copy", "game", "Game.SCameraUpdateEvent", 49, 16561),
            ("optional_bits", "game", "Game.SControlGroupUpdateEvent", "m_mask", 8),
            ("copy_init_data", 16561),
        ),
    ),
    Patch(
        "beta of Heart of the Swarm, 23925",
        "No table was published. Its event numbers are those of 23260, the bodies of three events those of 24764.",
        23925,
        23925,
        steps=(
            ("copy", "game", "Game.SUserOptionsEvent", 12, 24764),
            ("copy", "game", "Game.SSelectionDeltaEvent", 28, 24764),
            ("copy", "game", "Game.SCameraUpdateEvent", 49, 24764),
        ),
    ),
    Patch(
        "beta of Heart of the Swarm, 24247",
        "No table was published. Game and message events are those of 24764.",
        24247,
        24247,
        steps=(("copy_all", "game", 24764), ("copy_all", "message", 24764)),
    ),
    Patch(
        "lobby of the betas of Heart of the Swarm",
        "No table was published. The lobby is that of 23260 with the AI builds and the co-op mode of 24764.",
        23925,
        24247,
        steps=(
            ("insert", f"{_DESCRIPTION}.m_slotDescriptions", "m_allowedAIBuilds", ["bitarray", 0, 7], None),
            ("insert", _DESCRIPTION, "m_defaultAIBuild", _INT7, "m_defaultDifficulty"),
            ("insert", _DESCRIPTION, "m_isCoopMode", ["bool"], "m_isPremadeFFA"),
            ("insert", "m_syncLobbyState.m_lobbyState.m_slots", "m_aiBuild", _INT7, "m_difficulty"),
        ),
    ),
    Patch(
        "2.0.4 to 2.0.9 in base build 24944",
        "The table has neither the camera saves nor the tracker events that 2.0.8 and 2.0.9 write; both are those "
        "of 26490.",
        24944,
        26489,
        steps=(("copy", "game", "Game.SCameraSaveEvent", 14, 26490), ("copy_all", "tracker", 26490)),
    ),
)

#: ``replay.attributes.events`` begins with a byte for its source from this build on. The corpus has no build
#: between 16939, which does not have it, and this one.
FIRST_ATTRIBUTES_WITH_SOURCE = 17326
