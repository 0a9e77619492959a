"""Tables to files."""

from playhead.export.files import FORMATS, write_parts, write_table, write_to

__all__ = ["FORMATS", "write_parts", "write_table", "write_to"]
