// Print the players of a replay, from a file through a pipe or from a service:
// node players.mjs match.dem; PLAYHEAD_TOKEN=… node players.mjs http://127.0.0.1:8000/replays/ID
import { spawn } from "node:child_process";
import { tableFromIPC } from "apache-arrow";

const place = process.argv[2];
const open = async () => {
  if (!place.startsWith("http"))
    return spawn("playhead", ["export", place, "--table", "players", "--format", "arrow"]).stdout;
  const headers = { Authorization: `Bearer ${process.env.PLAYHEAD_TOKEN}` };
  return (await fetch(`${place}/tables/players?format=arrow`, { headers })).body;
};
for (const player of await tableFromIPC(open())) console.log(player.name);
