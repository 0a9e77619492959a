"""Only declarations: `checked_arrays.pxd` has the inline functions that make arrays of compiled code longer."""
