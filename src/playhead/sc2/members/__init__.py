"""The members of the archive, decoded: header, details, lobby, metadata and the rest."""
