import assert from "node:assert/strict";
import { test } from "node:test";
import { mp4 } from "../src/mp4";

const HOLDERS = ["moov", "trak", "mdia", "minf", "dinf", "stbl"];

/** The boxes by name, and where each begins to hold something. */
function boxes(bytes: Uint8Array, from = 0, to = bytes.length): Map<string, [number, DataView]> {
  const found = new Map<string, [number, DataView]>();
  for (let at = from; at < to; ) {
    const size = new DataView(bytes.buffer, at).getUint32(0);
    assert.ok(size >= 8 && at + size <= to, "inside of what holds it");
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    found.set(name, [at + 8, new DataView(bytes.buffer, at + 8, size - 8)]);
    if (HOLDERS.includes(name)) for (const each of boxes(bytes, at + 8, at + size)) found.set(...each);
    at += size;
  }
  return found;
}

test("a film has the place, time and size of each frame before them", async () => {
  const frames = [0, 1, 2, 60, 61].map((place, at) => ({
    place,
    key: place % 60 === 0,
    data: Uint8Array.from({ length: 300 + at }, () => at),
  }));
  for (const [setup, codec] of [
    [Uint8Array.of(1, 2, 3), "avc1"],
    [null, "vp09"],
  ] as const) {
    const bytes = new Uint8Array(await mp4(frames, setup, 1280, 720, 30).arrayBuffer());
    const found = boxes(bytes);
    const values = (name: string): number[] => {
      const [, view] = found.get(name) as [number, DataView];
      return Array.from({ length: view.byteLength / 4 - 1 }, (_, at) => view.getUint32(4 + 4 * at));
    };
    assert.deepEqual([...found.keys()].slice(0, 2), ["ftyp", "moov"]);
    assert.equal((found.get("mdat") as [number, DataView])[1].byteLength, 300 + 301 + 302 + 303 + 304);
    assert.deepEqual(values("stco"), [1, (found.get("mdat") as [number, DataView])[0]]);
    assert.deepEqual(values("stsz"), [0, 5, 300, 301, 302, 303, 304]);
    assert.deepEqual(values("stts"), [5, 1, 1, 1, 1, 1, 58, 1, 1, 1, 1]);
    assert.deepEqual(values("stss"), [2, 1, 4]);
    assert.deepEqual(values("mdhd").slice(2, 4), [30, 62]);
    const [at, view] = found.get("stsd") as [number, DataView];
    assert.equal(String.fromCharCode(...bytes.subarray(at + 12, at + 16)), codec);
    assert.deepEqual([view.getUint16(40), view.getUint16(42)], [1280, 720]);
  }
});
