"""Tables of players' actions: commands, selections, camera, actions per minute."""
