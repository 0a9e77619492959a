"""The base of every module: compiled or interpreted code, optional packages, records, cached attributes."""
