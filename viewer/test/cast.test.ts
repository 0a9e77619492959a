import assert from "node:assert/strict";
import { test } from "node:test";
import { Cast, SIDES, contrast, readable } from "../src/cast";
import type { Player } from "../src/data";
import onWhite from "./contrast.json";
import { PLAIN, summaryOf } from "./presentation";

function player(number: number, name: string, team: number | null, side: string | null = null): Player {
  return { player: number, name, team, side, clan: null, kind: null, result: null, character: null, colour: null };
}

test("declared sides come first, in their order, with their names", () => {
  const players = [player(0, "Ann", 2, "ts"), player(1, "Bob", 3, "cts"), player(2, "Cy", 7)];
  const cast = new Cast(
    summaryOf({
      players,
      winner: "defenders",
      presentation: {
        ...PLAIN,
        sides: [
          [3, "Defenders"],
          [2, "Attackers"],
        ],
      },
    }),
  );
  assert.equal(cast.headline(), "Defenders vs Attackers vs Cy");
  assert.equal(cast.colour(1), SIDES[0]);
  assert.equal(cast.colour(null, 2), SIDES[1]);
  assert.equal(cast.winner, "Defenders");
});

test("without declared sides teams follow by number, with the recording's names", () => {
  const cast = new Cast(summaryOf({ players: [player(0, "Ann", 3, "dire"), player(1, "Bob", 2, "radiant")] }));
  assert.deepEqual(
    cast.legend().map((each) => each.label),
    ["Radiant", "Dire"],
  );
});

test("players without sides have a colour each", () => {
  const cast = new Cast(summaryOf({ players: [player(0, "Ann", null), player(4, "Bob", null)] }));
  assert.ok(!cast.sided);
  assert.equal(cast.headline(), "Ann, Bob");
  assert.equal(cast.colour(4), SIDES[1]);
});

test("neutral things belong to nobody only in games that say so", () => {
  assert.equal(new Cast(summaryOf({ presentation: { ...PLAIN, nobody: 0 } })).name(0), "nobody");
  assert.equal(new Cast(summaryOf({})).name(0), "player 0");
});

test("colours of the game and of players stand out on both grounds", () => {
  for (const colour of ["#000000", "#ffffff", "#0042ff", "#b4141e", "#e0a030", "#fce746", "#1ca7ea"]) {
    assert.ok(contrast(readable(colour, true), "#1e242e") >= 4.5, colour);
    assert.ok(contrast(readable(colour, false), "#e8ebf0") >= 4.5, colour);
  }
  assert.equal(readable("#e0a030", true), "#e0a030");
});

test("contrast is the one of plots", () => {
  for (const [colour, expected] of Object.entries(onWhite))
    assert.ok(Math.abs(contrast(colour, "#ffffff") - expected) < 1e-3, colour);
});
