import assert from "node:assert/strict";
import { test } from "node:test";
import { webm } from "../src/webm";

/** Elements that hold others. */
const MASTERS = [0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675, 0x1c53bb6b, 0xbb, 0xb7];

/** Number, place of the content, and content of each element, those that hold others without it. */
function* elements(bytes: Uint8Array, from = 0, to = bytes.length): Generator<[number, number, Uint8Array]> {
  for (let at = from; at < to; ) {
    const size = Math.clz32(bytes[at]) - 23;
    const id = bytes.subarray(at, at + size).reduce((sum, each) => sum * 256 + each, 0);
    assert.equal(bytes[at + size], 1, "lengths have eight bytes");
    const length = bytes.subarray(at + size + 1, at + size + 8).reduce((sum, each) => sum * 256 + each, 0);
    const start = at + size + 8;
    assert.ok(start + length <= to, "inside of what holds it");
    if (MASTERS.includes(id)) {
      yield [id, start, new Uint8Array()];
      yield* elements(bytes, start, start + length);
    } else yield [id, start, bytes.subarray(start, start + length)];
    at = start + length;
  }
}

test("a film has its frames in clusters, and places to seek to", async () => {
  const frames = [0, 33, 67, 2000, 2033].map((time, place) => ({
    time,
    key: time % 2000 === 0,
    data: Uint8Array.from({ length: 300 + place }, () => place),
  }));
  const bytes = new Uint8Array(await webm(frames, "V_VP9", 1280, 720, 30).arrayBuffer());
  const found = [...elements(bytes)];
  const of = (id: number) => found.filter((each) => each[0] === id).map((each) => each[2]);
  const value = (part: Uint8Array) => part.reduce((sum, each) => sum * 256 + each, 0);
  assert.deepEqual([value(of(0xb0)[0]), value(of(0xba)[0])], [1280, 720]);
  assert.equal(new DataView(of(0x4489)[0].slice().buffer).getFloat64(0), 2033 + 1000 / 30);
  assert.deepEqual(of(0xe7).map(value), [0, 2000]);
  const blocks = of(0xa3);
  assert.deepEqual(
    blocks.map((block) => block.length - 4),
    frames.map((frame) => frame.data.length),
  );
  assert.deepEqual(
    blocks.map((block) => [block[1] * 256 + block[2], block[3]]),
    [
      [0, 0x80],
      [33, 0],
      [67, 0],
      [0, 0x80],
      [33, 0],
    ],
  );
  const segment = found.find((each) => each[0] === 0x18538067) as [number, number, Uint8Array];
  for (const [place, at] of of(0xf1).map(value).entries())
    assert.equal(value(bytes.subarray(segment[1] + at, segment[1] + at + 4)), 0x1f43b675, `cluster ${place}`);
});
