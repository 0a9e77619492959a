"""The ground that every module stands on: compiled or interpreted code, optional packages, records, cached attributes."""
