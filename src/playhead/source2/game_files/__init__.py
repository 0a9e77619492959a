"""Files of an installed game: packs (VPK), compiled textures, and overviews of maps."""
