import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect } from "../src/data";
import { effectsAt } from "../src/effects";
import { inkOf, inkText } from "../src/ink";

function effect(tick: number, end: number): Effect {
  return ["hit", tick, end, 0, 0, null, null, 0, null, null, null];
}

test("effects of a tick are those that began and have not ended, also long ones", () => {
  const all = [effect(10, 500), effect(20, 30), effect(40, 50), effect(60, 70)];
  const at = (tick: number): number[] => effectsAt(all, tick, 490).map((each) => each[1]);
  assert.deepEqual(at(9), []);
  assert.deepEqual(at(25), [10, 20]);
  assert.deepEqual(at(50), [10, 40]);
  assert.deepEqual(at(65), [10, 60]);
  assert.deepEqual(at(501), []);
});

test("what is drawn is read again from the link, and no nonsense", () => {
  const ink = [
    {
      points: [
        [1, 2],
        [-30, 4],
      ] as [number, number][],
      note: "",
    },
    { points: [[5, 6]] as [number, number][], note: "wait here" },
  ];
  assert.deepEqual(inkOf(inkText(ink)), ink);
  assert.deepEqual(inkOf(""), []);
  assert.deepEqual(inkOf("1,2;NaN,3 x;7,8:"), []);
  assert.equal(inkOf("1,2:" + "a".repeat(500))[0].note.length, 80);
  assert.deepEqual(inkOf(inkText([{ points: [[1, 1]], note: "a;b:c" }]))[0].note, "a b c");
});
