"""What a playback plays: the frames of a recording, and the schema that its playbacks share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from playhead.source2.container.followed import FollowedFrames
from playhead.source2.container.frames import Frame, FrameIndex
from playhead.source2.entities.classes import Projection, shared_layouts, shared_tree
from playhead.source2.entities.manager import EntityManager
from playhead.source2.schema.patches import dota_build
from playhead.source2.schema.send_tables import SendTables


class Recording(Protocol):
    """What a playback plays."""

    @property
    def frames(self) -> FrameIndex | FollowedFrames: ...
    @property
    def send_tables(self) -> SendTables: ...
    @property
    def class_names(self) -> Mapping[int, str]: ...
    @property
    def server_info(self) -> Mapping[str | int, Any]: ...

    @property
    def whole(self) -> memoryview | None: ...

    def payload(self, frame: Frame) -> bytes | memoryview:
        """The payload of a frame, decompressed."""

    def packet(self, frame: Frame, payload: bytes | memoryview) -> bytes:
        """The inner messages of a packet frame."""


class Schema:
    """What all playbacks of one recording share: its serializers, set right, and the classes as they are
    learnt.
    """

    def __init__(
        self,
        recording: Recording,
        wanted: Projection | None = None,
    ) -> None:
        build = dota_build(str(recording.server_info.get("game_dir", "")))
        self.tree = shared_tree(recording.send_tables, build)
        self._layouts = shared_layouts(recording.send_tables, build, wanted)

    def manager(self) -> EntityManager:
        """A manager without entities."""
        return EntityManager(self._layouts)
