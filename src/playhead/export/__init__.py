"""Tables as files and as frames of other libraries."""

from playhead.export.files import FORMATS, to_bytes, write_parts, write_stream, write_table, write_tables, write_to

__all__ = ["FORMATS", "to_bytes", "write_parts", "write_stream", "write_table", "write_tables", "write_to"]
