import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, type Place, placeOf } from "../src/address";
import { type Controls, commandOf, keyList, type Pressed } from "../src/keys";
import { tabsOf } from "../src/tabs";
import { summaryOf } from "./presentation";

const JUMPS = [
  { name: "kill", key: "x" },
  { name: "round", key: "v" },
];

/** The calls that a key makes, such as `jump kill -1`. */
function calls(key: string, more: Partial<Pressed> = {}): string[] | null {
  const made: string[] = [];
  const controls = new Proxy({} as Controls, {
    get:
      (_, name) =>
      (...given: unknown[]) => {
        made.push([String(name), ...given].join(" "));
      },
  });
  const command = commandOf({ key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...more }, JUMPS);
  command?.(controls);
  return command && made;
}

test("keys have their commands, in upper and lower case", () => {
  assert.deepEqual(calls(" "), ["toggle"]);
  assert.deepEqual(calls("K"), ["toggle"]);
  assert.deepEqual(calls("ArrowLeft"), ["move -5"]);
  assert.deepEqual(calls("ArrowRight", { shiftKey: true }), ["move 30"]);
  assert.deepEqual(calls("ArrowLeft", { ctrlKey: true }), ["event -1"]);
  assert.deepEqual(calls("7"), ["seek 0.7"]);
});

test("the game's jumps have their letters, with Shift backwards", () => {
  assert.deepEqual(calls("x"), ["jump kill 1"]);
  assert.deepEqual(calls("V", { shiftKey: true }), ["jump round -1"]);
  assert.deepEqual(
    keyList(JUMPS).find(([key]) => key === "X V"),
    ["X V", "next kill, round; with Shift the previous one"],
  );
  assert.equal(keyList([]).length, keyList(JUMPS).length - 1);
});

test("keys of the browser stay with it", () => {
  assert.equal(calls("g"), null);
  assert.equal(calls("r", { ctrlKey: true }), null);
  assert.equal(calls("t", { metaKey: true }), null);
});

test("an address holds a place", () => {
  const place: Place = {
    match: 2,
    beside: 3,
    tick: 120,
    tab: "events",
    table: "kills",
    selected: "7",
    camera: { x: 1.5, y: -2, zoom: 0.5 },
    bookmarks: [3, 9],
    kinds: ["chat", "kill"],
    layers: ["names", "heat"],
    sight: 3,
    curve: "economy",
    follow: true,
    hidden: [1, 0],
    sql: "SELECT 1 & 2",
    search: "a=b",
    rows: "50 %",
    sort: "-tick",
    range: [10, 20],
    span: [0, 400],
    speed: 8,
    board: "kills",
    quiet: true,
    over: "side=t&at=2.50",
    ink: "1,2 3,4;5,6:a note",
  };
  assert.deepEqual(placeOf(addressOf(place)), place);
  assert.equal(addressOf(placeOf("#t=5&cam=1,2&b=1,x&range=9,3&speed=&m=")), "#t=5&b=1");
});

test("tabs are those that the recording fills", () => {
  assert.deepEqual(tabsOf(summaryOf({ has_map: false }), true), ["summary", "events", "tables", "problems"]);
  assert.deepEqual(
    tabsOf(summaryOf({ curves: [{ name: "gold", label: "gold", first: "yes" }], builds: "items" }), true),
    ["summary", "players", "events", "inspect", "curves", "builds", "tables", "problems"],
  );
  assert.deepEqual(tabsOf(summaryOf({ has_map: false, notes: ["wards"] }), true), [
    "summary",
    "events",
    "wards",
    "tables",
    "problems",
  ]);
});

test("the overlay needs rounds and a server", () => {
  const tables = [{ name: "rounds", doc: "", columns: ["freeze_end_tick"] }];
  assert(tabsOf(summaryOf({ tables }), true).includes("overlay"));
  assert(!tabsOf(summaryOf({ tables }), false).includes("overlay"));
});
