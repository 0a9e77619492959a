"""Send tables: classes, their fields, and how each field is encoded."""
