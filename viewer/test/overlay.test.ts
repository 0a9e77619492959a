import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceOf, chosenOf, fitting, type Laid, placeAt, type Round, textOf } from "../src/overlay";

const track = { player: 1, name: "a", side: "one", start: 2, x: [0, 10, null, 30], y: [0, 20, null, 5] };
const round: Round = {
  number: 3,
  tick: 640,
  seconds: 20,
  winner: "one",
  sides: { one: { team: "A", buy: "full" }, two: { team: "B", buy: "eco" } },
  first: 0.1,
  tracks: [track],
  deaths: [],
};

test("a choice goes through the address", () => {
  const choice = choiceOf("team=A+%26+b&side=one&buy=eco&end=won&alone=1&beside=2.5&off=0-3.2-1&at=2.50");
  assert.deepEqual(choice.beside, [2, 5]);
  assert.deepEqual(choiceOf(textOf(choice)), choice);
  assert.equal(textOf(choiceOf("")), "");
  const odd = choiceOf("at=-9&beside=x.1.1.2e999&side=__proto__");
  assert.deepEqual([odd.at, odd.beside], [0, [1]]);
  assert.deepEqual(fitting(round, odd), []);
});

test("one side must fit all of a choice", () => {
  assert.deepEqual(fitting(round, choiceOf("")), ["one", "two"]);
  assert.deepEqual(fitting(round, choiceOf("buy=eco")), ["two"]);
  assert.deepEqual(fitting(round, choiceOf("buy=eco&end=won")), []);
  assert.deepEqual(fitting(round, choiceOf("team=A&side=one&end=won")), ["one"]);
  const laid: Laid = { map: null, step: 0.25, rounds: [round], left: 0 };
  const held: [number, Laid][] = [
    [4, laid],
    [7, laid],
  ];
  assert.deepEqual(
    chosenOf(held, choiceOf("buy=full")).map(({ key }) => key),
    ["4-3", "7-3"],
  );
});

test("players are between the steps, and nowhere in gaps and after their end", () => {
  const at = (seconds: number) => placeAt(track, round, 0.25, seconds);
  assert.deepEqual(at(0.6), [0, 0]);
  assert.deepEqual(at(0.725), [5, 10]);
  assert.deepEqual(at(0.95), [10, 20]);
  assert.equal(at(1.15), null);
  assert.deepEqual(at(1.35), [30, 5]);
  assert.equal(at(9), null);
});
