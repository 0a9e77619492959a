import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, scores, sortedBy } from "../src/board";
import { Cast } from "../src/cast";
import { found } from "../src/files";
import type { Kill, Mark } from "../src/data";
import { killText, lastKills } from "../src/killfeed";
import { valueAt } from "../src/plot";
import { isMoment } from "../src/tables";
import { leadAt, zoomed } from "../src/timeline";
import { summaryOf } from "./presentation";

const PLAYER = { clan: null, kind: null, side: null, result: null, character: null, colour: null };
const CAST = new Cast(
  summaryOf({
    players: [
      { ...PLAYER, player: 1, name: "Ada", team: 2 },
      { ...PLAYER, player: 2, name: "Bob", team: 3 },
    ],
  }),
);

test("the kill feed has the kills of the last seconds", () => {
  const mark = (tick: number, kill: Kill | null): Mark => ({
    tick,
    kind: "kill",
    player: null,
    team: null,
    text: "",
    kill,
  });
  const marks = [
    mark(10, [1, 2, "axe", 2, null, null]),
    mark(100, [1, 2, "axe", 2, null, null]),
    mark(110, null),
    mark(120, ["Tower", 1, null, 1, null, null]),
    mark(200, [2, 1, null, 1, null, null]),
  ];
  assert.deepEqual(
    lastKills(marks, 130, 10).map(({ mark: { tick }, times }) => [tick, times]),
    [
      [100, 1],
      [120, 1],
    ],
  );
  assert.deepEqual(
    lastKills(marks, 105, 10).map(({ mark: { tick }, times }) => [tick, times]),
    [[100, 1]],
  );
  assert.deepEqual(
    lastKills(marks.slice(0, 2), 100, 12).map(({ times }) => times),
    [2],
  );
  assert.deepEqual(lastKills(marks, 5, 10), []);
  assert.deepEqual(
    marks.map(({ kill }) => kill && killText(CAST, kill)),
    ["Ada [axe] Bob", "Ada [axe] Bob", null, "Tower › Ada", "Bob › Ada"],
  );
});

test("deaths are counted up to the playhead", () => {
  assert.deepEqual(
    [
      ...scores(
        [
          [15, 2, 1],
          [16, 2, null],
          [30, 1, 2],
        ],
        20,
      ),
    ],
    [
      [1, { kills: 1, deaths: 0 }],
      [2, { kills: 0, deaths: 2 }],
    ],
  );
});

test("a player that changes sides has the colour of the side now", () => {
  assert.notEqual(CAST.colour(1, 3, true), CAST.colour(1, 3));
  assert.equal(CAST.colour(1, 3, true), CAST.colour(2));
  assert.equal(CAST.colour(1, 99, true), CAST.colour(1));
});

test("the side that leads", () => {
  const lead = {
    label: "gold",
    teams: [2, 3] as [number, number],
    tick: [10, 20],
    values: [
      [5, 1],
      [3, 9],
    ] as [number[], number[]],
  };
  assert.equal(leadAt(lead, 9), null);
  assert.deepEqual(leadAt(lead, 10), { team: 2, by: 2 });
  assert.deepEqual(leadAt(lead, 99), { team: 3, by: 8 });
  const chance = { team: 2, tick: [10, 20], value: [0.5, 0.25] };
  assert.deepEqual(
    [5, 15, 25].map((tick) => valueAt(chance, tick)),
    [null, 0.5, 0.25],
  );
});

test("the timeline zooms around a tick, within the recording", () => {
  assert.deepEqual(zoomed([0, 1000], [0, 1000], 500, 0.5), [250, 750]);
  assert.deepEqual(zoomed([0, 1000], [0, 1000], 0, 0.5), [0, 500]);
  assert.deepEqual(zoomed([500, 1000], [0, 1000], 1000, 0.5), [750, 1000]);
  assert.equal(zoomed([250, 750], [0, 1000], 500, 2), null);
});

test("a scoreboard sorts numbers from the largest, and rows without a value last", () => {
  const rows = [
    { name: "a", kills: 2 },
    { name: "b", kills: null },
    { name: "c", kills: 10 },
  ];
  assert.deepEqual(
    sortedBy(rows, "kills").map((row) => row.name),
    ["c", "a", "b"],
  );
  assert.deepEqual(
    sortedBy(rows, "-kills").map((row) => row.name),
    ["a", "c", "b"],
  );
  assert.deepEqual(
    sortedBy(rows, "name").map((row) => row.name),
    ["a", "b", "c"],
  );
  assert.deepEqual(
    columnsOf([{ player: 1, hero: "x", ammo: 0, kills: 0, towers: 3, secret: 1 }], (name) =>
      ["player", "secret"].includes(name),
    ),
    ["kills", "towers"],
  );
});

test("moments are columns of seconds beside ticks", () => {
  const columns = ["tick", "seconds", "game_seconds", "end_seconds", "stun_seconds"];
  assert.deepEqual(
    columns.filter((column) => isMoment(column, columns)),
    ["seconds", "game_seconds"],
  );
});

test("recordings are found by map, player and result, and sorted", () => {
  const about = {
    title: "Game",
    map: "Kairos",
    players: ["Ada", "Bob"],
    winner: "Ada",
    seconds: 60,
    started: null,
    error: null,
  };
  const files = [
    { id: 0, name: "b10.dem", folder: "x", size: 5, about },
    { id: 1, name: "b9.dem", folder: "x", size: null, about: null },
    { id: 2, name: "a.dem", folder: "y", size: 9, about: { ...about, map: "Abyss", winner: "Bob", seconds: 600 } },
  ];
  const ids = (search: string, order: "name" | "size" | "length" | "map" = "name", turned = false): number[] =>
    found(files, search, order, turned).map((each) => each.id);
  assert.deepEqual(ids(""), [2, 1, 0]);
  assert.deepEqual(ids("bob kairos"), [0]);
  assert.deepEqual(ids("winner:bob"), [2]);
  assert.deepEqual(ids("nobody"), []);
  assert.deepEqual(ids("", "size"), [2, 0, 1]);
  assert.deepEqual(ids("", "length", true), [0, 2, 1]);
});
