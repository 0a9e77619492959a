"""Tables to files."""

from playhead.export.files import FORMATS, write_parts, write_table

__all__ = ["FORMATS", "write_parts", "write_table"]
