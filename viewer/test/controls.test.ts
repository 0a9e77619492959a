// The commands of keys and buttons: a jump of a game goes to the moments of the chosen player, if it has such.
import assert from "node:assert/strict";
import test from "node:test";
import { controlsOf } from "../src/hooks/controls";
import { Playback } from "../src/playback";

const JUMPS = {
  kill: [5, 50],
  expansion: [10, 20, 30],
  "expansion/1": [20],
  "expansion/2": [10, 30],
  "expansion/3": [],
};

/** The tick at which the playhead is after a jump from tick 12. */
function after(name: string, player: number | null, sign = 1): number {
  const playback = new Playback(0, 100, 1, 12, 1);
  const parts = { playback, stage: null, marks: [], jumps: JUMPS, player, bookmarks: [] };
  const idle = (): void => {};
  controlsOf({ ...parts, choose: idle, setDark: idle, setHelp: idle, setShares: idle }).jump(name, sign);
  return playback.tick;
}

test("the next expansion is of the chosen player", () => {
  assert.deepEqual(
    [null, 1, 2, 3].map((player) => after("expansion", player)),
    [20, 20, 30, 12],
  );
  assert.deepEqual(
    [null, 1, 2, 3].map((player) => after("expansion", player, -1)),
    [10, 12, 10, 12],
  );
});

test("the next kill is of anybody", () => {
  assert.deepEqual(
    [null, 2].map((player) => after("kill", player)),
    [50, 50],
  );
});
