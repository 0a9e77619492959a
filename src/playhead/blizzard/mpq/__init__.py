"""The MPQ archive: the container of a StarCraft II replay, read and written.

* `crypt`: the archive's hashes and its cipher;
* `layout`: user data, archive header, hash and block table, as records;
* `compression`: packing of one unit of data;
* `archive`: `MpqArchive`, which finds members by name and reads them;
* `writer`: `write_archive`.

Only the features of real replays are implemented; all others raise UnsupportedVersion.
"""

from playhead.blizzard.mpq.archive import MpqArchive
from playhead.blizzard.mpq.layout import ArchiveHeader, Block, UserData

__all__ = ["ArchiveHeader", "Block", "MpqArchive", "UserData"]
