"""The members of the archive, each decoded: header, details, lobby, metadata and the rest."""
