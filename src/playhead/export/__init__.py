"""Tables to files."""

from playhead.export.files import FORMATS, write_table

__all__ = ["FORMATS", "write_table"]
