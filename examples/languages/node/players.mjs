// Print the players of a replay, from a file through a pipe or from a service:
// node players.mjs match.dem; PLAYHEAD_TOKEN=… node players.mjs http://127.0.0.1:8000/replays/ID
import { spawn } from "node:child_process";
import { tableFromIPC } from "apache-arrow";

const place = process.argv[2];
const open = async () => {
  if (!place) throw new Error("expected a file or an address");
  if (!place.startsWith("http")) {
    const words = ["export", place, "--table", "players", "--format", "arrow"];
    const exported = spawn("playhead", words, { stdio: ["ignore", "pipe", "inherit"] });
    return exported.on("close", (status) => (process.exitCode = status)).stdout;
  }
  const headers = { Authorization: `Bearer ${process.env.PLAYHEAD_TOKEN}` };
  const answer = await fetch(`${place}/tables/players?format=arrow`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.body;
};
for (const player of await tableFromIPC(open())) console.log(player.name);
