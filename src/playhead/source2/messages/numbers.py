"""Names of outer commands and inner messages by number, as Valve's public definitions spell them.

A number without a name is kept and counted as it is: new ones appear with patches.
"""

from __future__ import annotations

from playhead.source2.messages.definitions import message_numbers


def _names(text: str) -> dict[int, str]:
    return {int(number): name for number, _, name in (entry.partition("=") for entry in text.split())}


#: Outer frames (EDemoCommands).
COMMANDS = _names(
    """
    0=DEM_Stop 1=DEM_FileHeader 2=DEM_FileInfo 3=DEM_SyncTick 4=DEM_SendTables 5=DEM_ClassInfo
    6=DEM_StringTables 7=DEM_Packet 8=DEM_SignonPacket 9=DEM_ConsoleCmd 10=DEM_CustomData
    11=DEM_CustomDataCallbacks 12=DEM_UserCmd 13=DEM_FullPacket 14=DEM_SaveGame 15=DEM_SpawnGroups
    16=DEM_AnimationData 17=DEM_AnimationHeader 18=DEM_Recovery
    """
)


def message_names(game: str) -> dict[int, str]:
    """Name by number of the inner messages of a game (``dota``, ``csgo``, ``citadel``).

    Of CS2's and Deadlock's own messages, numbered above 300, none are named yet.
    """
    return {number: entry.name for number, entry in message_numbers(game).items()}
