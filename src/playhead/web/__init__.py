"""The web room: the page of ``playhead view`` for this machine, the service of ``playhead serve`` for whom a token
lets in; both over the same answers, connections and bounds."""
