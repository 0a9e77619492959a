"""This room owns what answers HTTP: the viewer of this machine (``playhead view``) and the service for owners of a
token (``playhead serve``)."""
