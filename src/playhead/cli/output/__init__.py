"""Standard output and standard error: lines, tables, progress bars."""
