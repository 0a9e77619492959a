import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, tasksOf, underWay } from "../src/bands";

const TASKS = { tick: [0, 10, 20, 20], end: [30, 25, 40, 60], player: [1, 1, 2, 1], name: ["a", "b", "c", "a"] };
const all = tasksOf({ ...TASKS, bands: ["runs", "runs", "runs", "runs"] });

test("equal things under way are counted, the first of them first", () => {
  const found = underWay(all, 24).map(({ name, count, first }) => [name, count, first.end]);
  assert.deepEqual(found, [
    ["a", 2, 30],
    ["b", 1, 25],
    ["c", 1, 40],
  ]);
  assert.deepEqual(underWay(all, 60), [], "a thing has ended at its end");
});

test("bands take the first free row, and that which is free soonest where none is", () => {
  assert.deepEqual(rowsOf(all), [0, 1, 1, 0]);
  assert.deepEqual(
    rowsOf([
      { tick: 0, end: 5 },
      { tick: 5, end: 9 },
    ]),
    [0, 0],
  );
});
