"""What every module builds on: compiled or interpreted code, optional packages, records, cached attributes."""
