"""Only declarations: `held_buffer.pxd` has the inline functions that compiled readers hold their bytes with."""
