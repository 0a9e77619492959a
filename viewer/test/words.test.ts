import assert from "node:assert/strict";
import { test } from "node:test";
import { valueText, Words } from "../src/words";
import { PLAIN } from "./presentation";

const WORDS = new Words({
  ...PLAIN,
  feed: { words: { unit_died: "unit lost" }, jumps: [], sides_change: false },
  wording: {
    prefixes: "C(?=[A-Z])|item_",
    hidden_names: "Spray|Beacon",
    fact_names: { direction: "runs" },
    fact_values: { direction: { "-1": "← left" } },
    hidden_facts: ["tile_x"],
  },
});

test("names lose one prefix at their start and become several words", () => {
  assert.equal(WORDS.name("item_magic_wand"), "magic wand");
  assert.equal(WORDS.name("CBodyGuard"), "Body Guard");
  assert.equal(WORDS.name("Carrier"), "Carrier");
  assert.equal(WORDS.name("my_item_"), "my item ");
  assert.equal(new Words(PLAIN).name("item_x"), "item x");
});

test("kinds of events and facts have the game's words, or their own names", () => {
  assert.equal(WORDS.kind("unit_died"), "unit lost");
  assert.equal(WORDS.kind("first_blood"), "first blood");
  assert.equal(WORDS.factName("direction"), "runs");
  assert.equal(WORDS.factName("net_worth"), "net worth");
  assert.equal(WORDS.factValue("direction", -1), "← left");
  assert.equal(WORDS.factValue("direction", 5), "5");
});

test("bookkeeping of the game is hidden", () => {
  assert.equal(WORDS.factValue("upgrades", ["SprayGreen", "ShieldWall"]), "Shield Wall");
  assert.ok(WORDS.hides("BeaconArmy"));
  assert.ok(!WORDS.hides("ArmyBeacon"));
  assert.ok(!new Words(PLAIN).hides("BeaconArmy"));
  assert.ok(WORDS.hidesFact("tile_x") && WORDS.hidesFact("health") && !WORDS.hidesFact("gold"));
});

test("values are short texts", () => {
  assert.equal(valueText(null), "");
  assert.equal(valueText(1.23456), "1.235");
  assert.equal(valueText([1, 2.5]), "1, 2.5");
  assert.equal(valueText({ a: 1 }), '{"a":1}');
});

test("facts have commas, and dollars their sign; a told kind is its word", () => {
  assert.equal(WORDS.factValue("net_worth", 12345), "12,345");
  assert.equal(WORDS.factValue("money", 3000), "$3,000");
  assert.equal(WORDS.kind("statistic_reported/talent"), "talent");
});
