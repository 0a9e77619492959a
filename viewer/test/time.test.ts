import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../src/data";
import { clockSeconds, labelled, shownTime, timeText, tickOf } from "../src/time";

const TIMING = { rate: 10, rate_known: true };
/** 60 seconds before 0:00, then a pause of 20 seconds at 0:30. */
const CLOCK: Clock = {
  label: "game time",
  countdowns: [],
  stretches: [
    [100, -60, true],
    [1000, 30, false],
    [1200, 30, true],
  ],
};

test("times have minutes, seconds and, if needed, hours", () => {
  assert.equal(timeText(0), "0:00");
  assert.equal(timeText(75.9), "1:15");
  assert.equal(timeText(-5), "-0:05");
  assert.equal(timeText(3661), "1:01:01");
});

test("the shown time is that of the game's clock, which stops in a pause", () => {
  assert.equal(shownTime(50, TIMING, CLOCK), "before -1:00");
  assert.equal(shownTime(100, TIMING, CLOCK), "-1:00");
  assert.equal(shownTime(705, TIMING, CLOCK), "0:00");
  assert.equal(shownTime(1100, TIMING, CLOCK), "0:30 paused");
  assert.equal(shownTime(1300, TIMING, CLOCK), "0:40");
});

test("without a clock the time is that of the recording, without a rate the tick", () => {
  assert.equal(shownTime(650, TIMING, null), "1:05");
  assert.equal(shownTime(650, TIMING, { label: null, stretches: null, countdowns: [] }), "1:05");
  assert.equal(shownTime(650.7, { rate: 1, rate_known: false }, CLOCK), "tick 650");
});

test("labels are at multiples of the shown seconds, and none is in a pause", () => {
  assert.deepEqual(labelled(0, 1000, 30, TIMING, null), [0, 300, 600, 900]);
  assert.deepEqual(labelled(350, 1000, 30, TIMING, null), [600, 900]);
  const ticks = labelled(0, 1500, 30, TIMING, CLOCK);
  assert.deepEqual(ticks, [100, 400, 700, 1200, 1500]);
  assert.deepEqual(
    ticks.map((tick) => shownTime(tick, TIMING, CLOCK)),
    ["-1:00", "-0:30", "0:00", "0:30", "1:00"],
  );
});

test("labels are whole seconds at every rate", () => {
  const summary = { rate: 22.4, rate_known: true };
  const clock: Clock = { label: "game time", stretches: [[7, -44.967, true]], countdowns: [] };
  for (const each of [null, clock]) {
    const texts = labelled(0, 60000, 30, summary, each).map((tick) => shownTime(tick, summary, each));
    assert.ok(texts.length > 80);
    assert.deepEqual(
      texts.filter((text) => !/:(00|30)$/.test(text)),
      [],
    );
  }
});

test("ticks and seconds of the clock are each other's inverse while it runs", () => {
  const clock = {
    label: "game",
    countdowns: [],
    stretches: [
      [0, -10, true],
      [200, 10, false],
      [300, 10, true],
    ] as [number, number, boolean][],
  };
  for (const tick of [0, 50, 199, 300, 450])
    assert.equal(
      tickOf(clockSeconds(tick, { rate: 10, rate_known: true }, clock), { rate: 10, rate_known: true }, clock),
      tick,
    );
  assert.equal(clockSeconds(250, { rate: 10, rate_known: true }, clock), 10);
  assert.equal(
    tickOf(clockSeconds(77, { rate: 10, rate_known: true }, null), { rate: 10, rate_known: true }, null),
    77,
  );
});

test("a clock that counts down shows its round, the time that is left, and the bomb", () => {
  const clock: Clock = {
    label: "round time",
    stretches: [],
    countdowns: [
      [100, "R5 freeze", 200, null],
      [200, "R5", 400, null],
      [300, "R5 bomb", 500, null],
      [450, "R5", null, null],
      [480, "R6", 900, 42],
    ],
  };
  const shown = [50, 150, 205, 300, 460, 600].map((tick) => shownTime(tick, TIMING, clock));
  assert.deepEqual(shown, ["0:05", "R5 freeze 0:05", "R5 0:19", "R5 bomb 0:20", "R5", "R6 0:42"]);
});
