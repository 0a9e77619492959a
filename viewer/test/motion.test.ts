import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "../src/data";
import { Motion, SEEN_BY_FIRST, type Stretch } from "../src/motion";

const THINGS = [
  { id: "a", kind: "unit", player: 1, role: "unit" },
  { id: "b", kind: "unit", player: 2, role: "unit" },
];

/** The bytes of a stretch from tick 0 to 100 with steps of 10; a row is tick, thing, x, y and facing. */
interface Simulated {
  items: string[];
  details: number[][];
  item: number[];
}

function packed(rows: number[][], things: object[], state: number, more?: Simulated): Uint8Array {
  const column = (place: number): number[] => rows.map((row) => row[place]);
  const head = JSON.stringify({ start: 0, end: 100, step: 10, rows: rows.length, things, items: more?.items });
  const text = new TextEncoder().encode(head + " ".repeat(-head.length & 3));
  const parts = [
    Uint32Array.of(text.length),
    text,
    Int32Array.from(column(0)),
    Int32Array.from(column(1)),
    new Int32Array(rows.length),
    Float32Array.from(column(2)),
    Float32Array.from(column(3)),
    Float32Array.from(column(4)),
    new Float32Array(rows.length).fill(1),
    ...(more?.details ?? []).map((each) => Float32Array.from(each)),
    new Uint8Array(rows.length).fill(state),
    Int8Array.from(rows, (row) => row[5] ?? -1),
    Int8Array.from(more?.item ?? []),
  ];
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part.buffer))));
}

/** A stretch from tick 0 to 100 with steps of 10: thing a moves, jumps and is gone; thing b turns. */
function bytes(state = 3, more?: Simulated): Uint8Array {
  const rows = [
    [0, 0, 0, 0, 9, 3],
    [50, 0, 10, 20, 9],
    [60, 0, 500, 0, 9, 2],
    [90, 0, NaN, NaN, 9],
    [0, 1, 5, 5, 3],
    [10, 1, 5, 5, -3],
  ];
  return packed(rows, THINGS, state, more);
}

function sourceOf(answer: (stretch: number) => Uint8Array, asked: number[]): Source {
  return {
    live: true,
    files: async () => [],
    add: async () => 0,
    get: async () => {
      throw new Error("not asked");
    },
    link: () => "",
    state: async (_match, stretch) => {
      asked.push(stretch);
      return answer(stretch);
    },
  };
}

const SUMMARY = { first_tick: 0, last_tick: 1000, stretch: 100, jump_distance: 50 };

async function loaded(motion: Motion, tick = 0): Promise<Stretch> {
  const done = new Promise<void>((resolve) => {
    motion.onLoad = resolve;
  });
  assert.equal(motion.at(tick, 0), null);
  await done;
  const stretch = motion.at(tick, 0);
  assert.ok(stretch, motion.error ?? "");
  return stretch;
}

test("between two rows a thing moves during the last step only", async () => {
  const motion = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  const stretch = await loaded(motion);
  const spot = (tick: number): number[] | null => {
    const found = motion.spot(stretch, stretch.tracks[0], tick);
    return found && [found.x, found.y, found.age];
  };
  assert.deepEqual(spot(40), [0, 0, 40]);
  assert.deepEqual(spot(45), [5, 10, 45]);
  assert.deepEqual(spot(50), [10, 20, 0]);
});

test("a thing does not glide over a jump, and is nowhere when it is gone", async () => {
  const motion = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  const stretch = await loaded(motion);
  assert.equal(motion.spot(stretch, stretch.tracks[0], 59)?.x, 10);
  assert.equal(motion.spot(stretch, stretch.tracks[0], 60)?.x, 500);
  assert.equal(motion.spot(stretch, stretch.tracks[0], 90), null);
  assert.equal(motion.spot(stretch, stretch.tracks[0], -1), null);
});

test("details of a simulation belong to their rows", async () => {
  const none = [NaN, NaN, NaN, NaN, NaN];
  const details = [
    [7, ...none],
    [8, ...none],
    [1, 2, 3, 4, 5, 6],
    [0, 0, 0, 0, 0, 0],
  ];
  const simulated = bytes(3, { items: ["hammer", "gun"], details, item: [1, -1, -1, -1, 0, 0] });
  const motion = new Motion(
    sourceOf(() => simulated, []),
    0,
    SUMMARY,
  );
  const stretch = await loaded(motion);
  assert.equal(motion.tellsDetails, true);
  assert.deepEqual(motion.spot(stretch, stretch.tracks[0], 40)?.detail, {
    toX: 7,
    toY: 8,
    velX: 1,
    velY: 0,
    item: "gun",
  });
  assert.equal(motion.spot(stretch, stretch.tracks[0], 60)?.detail?.item, null);
  assert.equal(motion.spot(stretch, stretch.tracks[1], 20)?.detail?.velX, 6);
  const plain = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  assert.equal(plain.spot(await loaded(plain), stretch.tracks[0], 40)?.detail?.toX, 7);
  assert.equal(plain.tellsDetails, false);
});

test("a thing turns the short way round", async () => {
  const motion = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  const stretch = await loaded(motion);
  const facing = motion.spot(stretch, stretch.tracks[1], 5)?.facing ?? 0;
  assert.ok(Math.abs(facing - Math.PI) < 1e-3, String(facing));
});

test("a stretch is requested once, with the next and the previous one after it", async () => {
  const asked: number[] = [];
  const motion = new Motion(
    sourceOf(() => bytes(SEEN_BY_FIRST | 3), asked),
    0,
    SUMMARY,
  );
  assert.equal(motion.tellsSight, false);
  await loaded(motion, 350);
  assert.ok(motion.tellsSight);
  assert.deepEqual(asked, [3, 2]);
  motion.at(350, 1);
  assert.deepEqual(asked, [3, 2, 4]);
});

test("a failed stretch is told, and requested again after a while", async () => {
  const asked: number[] = [];
  let time = 1000,
    broken = true;
  const answer = (): Uint8Array => {
    if (broken) throw new Error("damaged");
    return bytes();
  };
  const motion = new Motion(sourceOf(answer, asked), 0, SUMMARY, () => time);
  const done = new Promise<void>((resolve) => {
    motion.onLoad = resolve;
  });
  motion.at(0, 0);
  await done;
  motion.at(0, 0);
  assert.equal(motion.error, "damaged (asking again)");
  assert.deepEqual(asked, [0]);
  broken = false;
  time += 1001;
  await loaded(motion);
  assert.equal(motion.error, null);
  assert.equal(asked[1], 0);
});

test("while the playhead is dragged, requests are some time apart, and the last one is sent", () => {
  const asked: number[] = [],
    aborted: number[] = [];
  let time = 1000;
  const source: Source = {
    ...sourceOf(() => bytes(), []),
    state: (_match, stretch, signal) => {
      asked.push(stretch);
      signal?.addEventListener("abort", () => aborted.push(stretch));
      return new Promise(() => {});
    },
  };
  const motion = new Motion(source, 0, { ...SUMMARY, last_tick: 10_000 }, () => time);
  for (let tick = 0; tick < 9000; tick += 200) {
    motion.at(tick, 1);
    time += 5;
  }
  assert.ok(asked.length <= 4, String(asked));
  time += 100;
  motion.at(8800, 1);
  assert.equal(asked.at(-1), 88);
  assert.deepEqual(aborted, asked.slice(0, -1));
});

test("the team is that of the row: players change sides", async () => {
  const motion = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  const stretch = await loaded(motion),
    track = stretch.byId.get("a");
  assert.deepEqual(track && [0, 50, 60, 70].map((tick) => motion.spot(stretch, track, tick)?.team), [3, null, 2, 2]);
});

test("a recording that begins late has no stretches before its first tick", () => {
  const asked: number[] = [];
  const motion = new Motion(
    sourceOf(() => bytes(), asked),
    0,
    { ...SUMMARY, first_tick: 550 },
  );
  assert.equal(motion.numberOf(0), 5);
  motion.at(0, 0);
  assert.deepEqual(asked, [5]);
});

test("a stretch without things is told", async () => {
  const full = new Motion(
    sourceOf(() => bytes(), []),
    0,
    SUMMARY,
  );
  assert.equal(full.isEmpty, false);
  await loaded(full);
  assert.equal(full.isEmpty, false);
  const empty = new Motion(
    sourceOf(() => packed([], [], 3), []),
    0,
    SUMMARY,
  );
  await loaded(empty);
  assert.equal(empty.isEmpty, true);
  assert.equal(empty.onlyAttention, false);
  const screens = new Motion(
    sourceOf(() => packed([[0, 0, 1, 1, 9]], [{ ...THINGS[0], role: "camera" }], 3), []),
    0,
    SUMMARY,
  );
  await loaded(screens);
  assert.equal(screens.onlyAttention, true);
});
