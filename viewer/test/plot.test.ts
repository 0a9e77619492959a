import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeAt } from "../src/address";
import { axis, valueAt } from "../src/plot";

test("an axis has round numbers around all values", () => {
  assert.deepEqual(axis(0, 5700), [0, 1000, 2000, 3000, 4000, 5000, 6000]);
  assert.deepEqual(axis(0, 0), [0, 0.2, 0.4, 0.6, 0.8, 1].slice(0, axis(0, 0).length));
  assert.deepEqual(axis(-30, 60), [-40, -20, 0, 20, 40, 60]);
});

test("a line has its last value until the next one", () => {
  const line = { tick: [10, 20], value: [1, 5] };
  assert.deepEqual(
    [5, 10, 19, 20, 99].map((tick) => valueAt(line, tick)),
    [null, 1, 1, 5, 5],
  );
});

test("a range begins or ends at the playhead, by key and by button", () => {
  const whole: [number, number] = [0, 100];
  assert.deepEqual(rangeAt(null, 40, "first", whole), [40, 100]);
  assert.deepEqual(rangeAt([40, 100], 60, "last", whole), [40, 60]);
  assert.deepEqual(rangeAt([40, 60], 80, "first", whole), [80, 100]);
  assert.deepEqual(rangeAt([40, 60], 20, "last", whole), [0, 20]);
  assert.equal(rangeAt(null, 100, "first", whole), null);
});
