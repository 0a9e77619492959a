"""`GAMES`: the games of the engine, and the facts about each that the engine's own tables and schema need.

No other module of `source2` names a game. A game with a package has more tables; see `Game.package`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from playhead.runtime.records import NamedTuple


class GameChat(NamedTuple):
    """The message in which a game sends a line of chat, beside the engine's SayText2.

    Attributes:
        name: name of the message.
        player, text, channel: names of its fields.
        channels: word of a channel by number.
    """

    name: str
    player: str
    text: str
    channel: str
    channels: Mapping[int, str]


class Game(NamedTuple):
    """One game.

    Attributes:
        title: its name in titles.
        word: its name in recordings.
        package: package with ``open_replay(source, options)`` and ``vocabulary()``; None if the engine alone reads
            the game's recordings.
        sides: word of a team by number.
        chat: the game's own message for chat, if it has one.
        build_folder: what precedes the build number in ServerInfo's ``game_dir``, if old builds need corrections
            (`playhead.source2.schema.patches`).
        renamed_classes: names of one class, in the order in which they came.
        pointers: types whose fields point to a table even if they are declared without ``*``.
        named_counts: values of the constants in the declared types of the game.
        marking_class: a class that only the schemas of this game declare.
        own_definitions: the game adds messages to the engine's, or defines some otherwise, in a file of its own
            (`playhead.source2.messages.definitions`).
        user_command: name of the definition of a user command; by default that of the part that all games share.
        unsigned_types: types that this game sends unsigned and the others as zigzag numbers.
        units_per_metre: size of a metre in map units, if known.
        needed_fields: names of fields that every build declares, and without which rows of facts are missing
            (`playhead.source2.playback.expected`).
        needed_since: the same of fields that came later: the oldest build that is known to declare them.
        newest: the newest build whose schema is known. From it on every field and class that facts read is
            expected, except `former`: another name is news.
        events_read: names of the game events that facts read.
        former: names of fields and classes that facts read in older builds, or in none that is known.
        apart: classes in which facts look for a field that they lack, by the field: others have it, or another
            field has the same fact.
        one_array_a_field: a field that only those builds declare in which a field of players is an array, with an
            element for each player.
    """

    title: str
    word: str = ""
    package: str | None = None
    sides: Mapping[int, str] = {}
    chat: GameChat | None = None
    build_folder: str | None = None
    renamed_classes: tuple[tuple[str, ...], ...] = ()
    pointers: frozenset[str] = frozenset()
    named_counts: Mapping[str, int] = {}
    marking_class: str | None = None
    own_definitions: bool = False
    user_command: str = "CUserCmdBasePB"
    unsigned_types: frozenset[str] = frozenset()
    units_per_metre: float | None = None
    needed_fields: tuple[str, ...] = ()
    needed_since: Mapping[int, tuple[str, ...]] = {}
    newest: int | None = None
    former: frozenset[str] = frozenset()
    events_read: frozenset[str] = frozenset()
    apart: Mapping[str, str] = {}
    one_array_a_field: str | None = None

    def needed(self, build: int | None, read: Iterable[str]) -> list[str]:
        """Return the fields and classes that a build of the game declares, as in `needed_fields`.

        Args:
            build: number of the build; None if unknown.
            read: the names that facts read.
        """
        later = (names for since, names in self.needed_since.items() if build is not None and build >= since)
        listed = [*self.needed_fields, *chain.from_iterable(later)]
        if self.newest is None or build is None or build < self.newest:
            return listed
        renamed = [names for names in listed if "|" in names]
        alone = frozenset(read) - self.former - frozenset("|".join(renamed).split("|"))
        return sorted([*alone, *renamed])


#: Every known game by its name; recordings of other games are read as far as the engine goes.
GAMES: Mapping[str, Game] = {
    "dota2": Game(
        "Dota 2",
        "dota",
        "playhead.dota2",
        sides={2: "radiant", 3: "dire"},
        chat=GameChat(
            "DOTA_UM_ChatMessage",
            player="source_player_id",
            text="message_text",
            channel="channel_type",
            # DOTAChatChannelType_t, as far as it occurs inside a match.
            channels={11: "all", 12: "team", 13: "observers"},
        ),
        build_folder="dota_v",
        renamed_classes=(
            ("CDOTAPlayer", "CDOTAPlayerController"),  # July 2022
            ("CDOTADataRadiant", "CDOTA_DataRadiant"),
            ("CDOTADataDire", "CDOTA_DataDire"),
            ("CDOTADataSpectator", "CDOTA_DataSpectator"),
        ),
        pointers=frozenset(("CDOTAGamerules", "CDOTAGameRules", "CDOTAGameManager", "CDOTASpectatorGraphManager")),
        named_counts={
            "MAX_ITEM_STOCKS": 8,
            "MAX_ABILITY_DRAFT_ABILITIES": 48,
            "DOTA_ABILITY_DRAFT_HEROES_PER_GAME": 10,
        },
        one_array_a_field="m_iPlayerTeams",  # 2015
        # In 2015 the vectors of players were arrays.
        needed_fields=(
            *"m_bGamePaused m_bIsWaitingToSpawn m_cellX m_cellY m_hSelectedHero m_iTeamNum m_lifeState".split(),
            *"m_iLevel m_nGameState m_nSelectedHeroID m_pGameRules m_vecX m_vecY".split(),
            *"m_hAbilities|m_vecAbilities m_hItems".split(),
            *"m_iPlayerTeam|m_iPlayerTeams m_vecPlayerData|m_iPlayerTeams".split(),
            *"m_vecPlayerTeamData|m_iPlayerTeams m_vecDataTeam|m_iPlayerTeams".split(),
        ),
        needed_since={  # what tables couriers, events and player_counters follow
            9358: tuple(
                "m_iRuneType m_nCourierState "
                "m_iBountyRunes m_iCampsStacked m_iCreepsStacked m_iObserverWardsPlaced m_iOutpostsCaptured "
                "m_iPowerRunes m_iRoshanKills m_iRunePickups m_iSentryWardsPlaced m_iTPScrollsPurchased "
                "m_iTowerKills m_iWardsDestroyed m_iWardsPurchased m_iWaterRunes".split()
            ),
            9912: tuple(
                "m_iCourierKills m_iLotusesTaken m_iNeutralTokensFound m_iSmokesUsed m_iTormentorKills "
                "m_iWatchersTaken".split()
            ),
        },
        newest=10001,
        former=frozenset(
            "m_bNPCVisibleState m_fGameTime m_iHeroFacetKey m_iPauseTeam m_nSelectedHeroVariant "
            "m_vecAbilities".split()
        ),
        apart={
            "m_nPlayerID": "CDOTA_NPC_Observer_Ward CDOTA_NPC_Observer_Ward_TrueSight CDOTA_Unit_Courier",
            "m_nPlayerOwnerID": "CDOTAPlayerController",
            "m_vecDataTeam": "CDOTA_PlayerResource",
        },
    ),
    "cs2": Game(
        "Counter-Strike 2",
        "csgo",
        "playhead.cs2",
        sides={2: "t", 3: "ct"},
        own_definitions=True,
        user_command="CSGOUserCmdPB",
        units_per_metre=1 / 0.0254,  # a unit of the engine is an inch
        needed_fields=tuple(
            "m_OriginalOwnerXuidLow m_bBeingDefused m_bControllingBot m_bDidSmokeEffect m_bFreezePeriod "
            "m_bGamePaused m_bHasExploded m_bStartedArming m_bTerroristTimeOutActive m_cellX m_cellY "
            "m_flFlashDuration m_gamePhase m_hMyWeapons m_hOwnerEntity m_hPawn m_hPlayerPawn m_iAccount "
            "m_iItemDefinitionIndex m_iTeamNum m_lifeState m_nFallbackPaintKit m_nOvertimePlaying "
            "m_nRoundEndCount m_nRoundStartCount m_pBuyServices m_pGameRules m_pInGameMoneyServices "
            "m_pWeaponServices m_steamID m_szLastPlaceName m_totalRoundsPlayed m_vecSellbackPurchaseEntries "
            "m_vecX m_vecY".split()
        ),
        needed_since={10231: ("m_nPawnCharacterDefIndex",)},  # agents of table skins
        newest=10772,
        former=frozenset(("m_bStealthy",)),
        events_read=frozenset(
            "hostage_call_for_help hostage_follows hostage_hurt hostage_killed hostage_rescued "
            "hostage_stops_following other_death player_death player_hurt player_sound vote_cast "
            "weapon_fire".split()
        ),
    ),
    "deadlock": Game(
        "Deadlock",
        "citadel",
        "playhead.deadlock",
        sides={2: "hidden_king", 3: "archmother"},
        chat=GameChat(
            "k_EUserMsg_ChatMsg",
            player="player_slot",
            text="text",
            channel="all_chat",
            channels={0: "team", 1: "all"},
        ),
        marking_class="CCitadelPlayerController",
        own_definitions=True,
        user_command="CCitadelUserCmdPB",
        # Source: heroes of a match by the abilities their pawns hold, and by another parser.
        unsigned_types=frozenset(("HeroID_t",)),
        needed_fields=tuple(
            "m_bAlive m_bDisabled m_bGamePaused m_cellX m_cellY m_eValType m_flCooldownEnd m_flValue "
            "m_hOwnerEntity m_iHealth m_iRemainingCharges m_iTeamNum m_pGameRules m_vecStatViewerModifierValues "
            "m_vecUpgrades m_vecX m_vecY".split()
        ),
        needed_since={  # what tables player_states and imbues follow
            5186: tuple(
                "m_pModifierProp m_vecImbuements m_SourceItemID m_TargetAbilityID|m_vecImbuedAbilities".split()
            ),
            10725: ("CNPC_TrooperBarrackBoss|CNPC_BarrackBoss",),
        },
        newest=10725,
        former=frozenset(
            "CNPC_Neutral_SinnersSacrifice_Hideout m_CCitadelAbilityComponent "
            "m_CCitadelHeroComponent m_PlayerDataGlobal m_sInCombat m_sPlayerDamageDealt m_sPlayerDamageTaken "
            "m_tStreetBrawl".split()
        ),
        apart={
            "m_ePhase": "CCitadel_Destroyable_Building CNPC_BarrackBoss CNPC_BaseDefenseSentry CNPC_Boss_Tier2 "
            "CNPC_TrooperBarrackBoss CNPC_TrooperBoss",
            "m_hOwnerEntity": "CCitadelPlayerPawn",
            "m_iLane": "CCitadel_Destroyable_Building CNPC_BaseDefenseSentry CNPC_TrooperNeutral",
            "m_lifeState": "CCitadel_Destroyable_Building CNPC_BaseDefenseSentry",
            "m_unHeroBuildID": "CCitadelPlayerController CCitadelPlayerPawn",
        },
    ),
}

#: Of a game that `GAMES` does not list.
UNKNOWN_GAME = Game("")


def game_of(word: str) -> str:
    """Return the name of a game, given its word in recordings; the same word if `GAMES` has no such game."""
    return next((name for name, game in GAMES.items() if game.word == word), word)
