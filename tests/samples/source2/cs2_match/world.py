"""`CsWorld`: the entities of the written match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.samples.source2.cs2_match.schema import cs2_schema, zeros
from tests.samples.source2.world import WrittenWorld

RULES, RESOURCE, VOTE, TARGETS, HOSTAGE, CHICKEN = 70, 69, 71, 72, 74, 75
#: Entities of the teams by number.
TEAMS = {0: 65, 1: 66, 2: 67, 3: 68}
_FIRST_CONTROLLER, _FIRST_PAWN, _PAWN_BLOCK = 1, 300, 4
FIRST_OBJECT, LAST_OBJECT = 400, 900
HOSTAGE_PLACE, CHICKEN_PLACE = (700.0, -200.0, 64.0), (-40.0, 350.0, 64.0)
SITES = {0: (600.0, 600.0), 1: (-300.0, -600.0)}
_CELL, _HALF_MAP, _MIDDLE = 512, 16384, 32
_NO_HANDLE = 0xFFFFFF
#: Rounds that the counts of a controller have place for at first; overtimes add to them.
ROUND_ROWS = 30
_BODY: dict[str, Any] = {f"CBodyComponent.m_cell{axis}": _MIDDLE for axis in "XYZ"}
_BODY |= {f"CBodyComponent.m_vec{axis}": 0.0 for axis in "XYZ"} | {"CBodyComponent": True}
_BODY["CBodyComponent.m_hModel"] = 0
_OBJECT = {"m_hOwnerEntity": _NO_HANDLE, "m_iTeamNum": 0}


def controller_index(slot: int) -> int:
    """Return the index of the controller of a slot."""
    return _FIRST_CONTROLLER + slot


def pawn_index(slot: int) -> int:
    """Return the index of the pawn of a slot."""
    return _FIRST_PAWN + _PAWN_BLOCK * slot


def place_fields(x: float, y: float, z: float | None) -> dict[str, Any]:
    """Return world coordinates as fields of the body component; `z` is left out if it is None."""
    out: dict[str, Any] = {}
    for axis, value in (("X", x), ("Y", y), ("Z", z)):
        if value is not None:
            cell, rest = divmod(value + _HALF_MAP, _CELL)
            out[f"CBodyComponent.m_cell{axis}"] = int(cell)
            out[f"CBodyComponent.m_vec{axis}"] = rest
    return out


class CsWorld(WrittenWorld):
    """The entities: world, teams, rules, resource and vote controller at first."""

    def __init__(self) -> None:
        super().__init__(cs2_schema())
        self._free = list(range(LAST_OBJECT, FIRST_OBJECT - 1, -1))
        self.create(0, "CWorld", {})
        titles = {0: "Unassigned", 1: "Spectator", 2: "TERRORIST", 3: "CT"}
        for team, title in titles.items():
            self.create(TEAMS[team], "CCSTeam", {"m_iTeamNum": team, "m_szTeamname": title})
        self.create(RULES, "CCSGameRulesProxy", {})
        sites = {f"m_bombsiteCenter{'AB'[site]}": (*at, 64.0) for site, at in SITES.items()}
        self.create(RESOURCE, "CCSPlayerResource", sites)
        for site, (x, y) in SITES.items():
            box = {f"m_vec{end}": (x + far, y + far, far) for end, far in (("Mins", -150.0), ("Maxs", 150.0))}
            self.create(TARGETS + site, "CBombTarget", place_fields(x, y, 64.0) | box)
        for index, name, at in ((HOSTAGE, "CHostage", HOSTAGE_PLACE), (CHICKEN, "CChicken", CHICKEN_PLACE)):
            self.create(index, name, place_fields(*at))
        self.create(VOTE, "CVoteController", {"m_iActiveIssueIndex": -1, "m_iOnlyTeamToVote": -1})

    def baseline(self, name: str) -> Mapping[str, Any]:
        """As `WrittenWorld.baseline`."""
        if name == "CCSPlayerController":
            prefix = "m_pActionTrackingServices"
            return {
                **zeros(name),
                "m_pInGameMoneyServices": True,
                "m_pInventoryServices": True,
                prefix: True,
                f"{prefix}.m_perRoundStats": ROUND_ROWS,
                "m_iPawnBotDifficulty": -1,
                "m_hPawn": _NO_HANDLE,
                "m_hPlayerPawn": _NO_HANDLE,
                "m_hObserverPawn": _NO_HANDLE,
                "m_hOriginalControllerOfCurrentPawn": _NO_HANDLE,
            }
        if name == "CCSPlayerPawn":
            services = (f"m_p{name}Services" for name in "Weapon Item Movement Buy Camera AimPunch".split())
            flags = "m_bIsScoped m_bIsDefusing m_bIsWalking m_bInBombZone m_bInBuyZone m_bFlashing".split()
            return {
                **zeros(name),
                **_BODY,
                **_OBJECT,
                **dict.fromkeys(services, True),
                "m_pCameraServices.m_vecCsViewPunchAngle": (0.0, 0.0, 0.0),
                "m_hGroundEntity": _NO_HANDLE,
                "m_hController": _NO_HANDLE,
                "m_hOriginalController": _NO_HANDLE,
                **dict.fromkeys(flags, False),
                "m_iHealth": 100,
                "m_iMaxHealth": 100,
                "m_lifeState": 0,
                "m_fFlags": 65,
                "m_ArmorValue": 0,
                "m_flFlashDuration": 0.0,
                "m_flFlashMaxAlpha": 0.0,
                "m_angEyeAngles": (0.0, 0.0, 0.0),
                **{f"m_vecVelocity.m_vec{axis}": 0.0 for axis in "XYZ"},
                "m_vecViewOffset.m_vecZ": 64.0,
                "m_pMovementServices.m_bDucked": False,
                "m_pMovementServices.m_nButtonDownMaskPrev": 0,
                "m_pItemServices.m_bHasDefuser": False,
                "m_pItemServices.m_bHasHelmet": False,
                "m_pWeaponServices.m_hMyWeapons": 0,
                **{f"m_pWeaponServices.m_iAmmo.{kind:04}": 0 for kind in range(32)},
                "m_pWeaponServices.m_hActiveWeapon": _NO_HANDLE,
                "m_unCurrentEquipmentValue": 0,
                "m_unRoundStartEquipmentValue": 0,
            }
        if name == "CCSTeam":
            return zeros(name) | {"m_szClanTeamname": ""}
        if name == "CCSGameRulesProxy":
            return {"m_pGameRules": True} | zeros(name)
        if name in ("CWorld", "CCSPlayerResource", "CVoteController"):
            return {}
        values: dict[str, Any] = {**zeros(name), **_BODY, **_OBJECT}
        if name.endswith("Projectile"):
            values |= {"m_hThrower": _NO_HANDLE, "m_nBounces": 0, "m_nExplodeEffectTickBegin": 0}
            values |= {f"m_vecVelocity.m_vec{axis}": 0.0 for axis in "XYZ"}
        elif name in ("CBombTarget", "CChicken"):
            pass
        elif name == "CHostage":
            values["m_leader"] = _NO_HANDLE
        elif name == "CInferno":
            values |= {"m_fireCount": 0, "m_nInfernoType": 0}
        elif name == "CPlantedC4":
            states = ("m_bHasExploded", "m_bBombDefused", "m_bBeingDefused", "m_bCannotBeDefused")
            values |= {**dict.fromkeys(states, False), "m_bBombTicking": True, "m_hBombDefuser": _NO_HANDLE}
        else:
            values |= {
                "m_bInReload": False,
                "m_hPrevOwner": _NO_HANDLE,
                "m_nDropTick": 0,
                "m_nFallbackPaintKit": 0,
            }
            values |= {
                "m_nFallbackSeed": 0,
                "m_flFallbackWear": 0.0,
                "m_nFallbackStatTrak": -1,
                "m_bInitialized": True,
            }
        if name == "CC4":
            values["m_bStartedArming"] = False
        return values

    def add(self, class_name: str, values: Mapping[str, Any]) -> int:
        """Create a thing at a free index; return it."""
        index = self._free.pop()
        self.create(index, class_name, values)
        return index

    def discard(self, index: int) -> None:
        """Remove a thing; its index comes again much later."""
        self.remove(index)
        self._free.insert(0, index)

    def put_rules(self, values: Mapping[str, Any]) -> None:
        """Set fields of the game rules."""
        self.put(RULES, {f"m_pGameRules.{name}": value for name, value in values.items()})
