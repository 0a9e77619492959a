// A WebM file of encoded frames: the header, one track, a cluster from each key frame on, and their places for seeking.
// https://www.matroska.org/technical/elements.html

type Part = Uint8Array | number[];

/** A number as bytes, the first ones without value left out, or in `size` bytes. */
function bytesOf(value: number, size = 0): number[] {
  const found: number[] = [];
  for (let rest = value; rest > 0 || found.length < (size || 1); rest = Math.floor(rest / 256))
    found.unshift(rest % 256);
  return found;
}
function lengthOf(parts: Part[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
/** An element: its number, its length in eight bytes, and what it holds. */
function element(id: number, ...parts: Part[]): Part[] {
  return [[...bytesOf(id), 1, ...bytesOf(lengthOf(parts), 7)], ...parts];
}
const number = (id: number, value: number): Part[] => element(id, bytesOf(value));
const text = (id: number, value: string): Part[] => element(id, new TextEncoder().encode(value));
function float(id: number, value: number): Part[] {
  const held = new DataView(new ArrayBuffer(8));
  held.setFloat64(0, value);
  return element(id, new Uint8Array(held.buffer));
}

export interface Frame {
  /** Milliseconds from the start. */
  time: number;
  key: boolean;
  data: Uint8Array;
}

/** Returns the file; the first frame is a key frame. */
export function webm(frames: Frame[], codec: "V_VP8" | "V_VP9", width: number, height: number, fps: number): Blob {
  const head = element(
    0x1a45dfa3,
    ...number(0x4286, 1),
    ...number(0x42f7, 1),
    ...number(0x42f2, 4),
    ...number(0x42f3, 8),
    ...text(0x4282, "webm"),
    ...number(0x4287, 2),
    ...number(0x4285, 2),
  );
  const last = frames[frames.length - 1];
  const about = [
    ...element(
      0x1549a966,
      ...number(0x2ad7b1, 1_000_000), // a millisecond, in nanoseconds
      ...text(0x4d80, "playhead"),
      ...text(0x5741, "playhead"),
      ...float(0x4489, last.time + 1000 / fps),
    ),
    ...element(
      0x1654ae6b,
      ...element(
        0xae,
        ...number(0xd7, 1),
        ...number(0x73c5, 1),
        ...number(0x83, 1), // video
        ...text(0x86, codec),
        ...element(0xe0, ...number(0xb0, width), ...number(0xba, height)),
      ),
    ),
  ];
  const clusters: Part[] = [],
    cues: Part[] = [];
  let place = 0;
  while (place < frames.length) {
    const start = frames[place].time,
      from = lengthOf(about) + lengthOf(clusters);
    const blocks: Part[] = [];
    do {
      const { time, key, data } = frames[place++];
      blocks.push(...element(0xa3, [0x81, ...bytesOf(time - start, 2), key ? 0x80 : 0], data));
    } while (place < frames.length && !frames[place].key);
    clusters.push(...element(0x1f43b675, ...number(0xe7, start), ...blocks));
    const at = element(0xb7, ...number(0xf7, 1), ...number(0xf1, from));
    cues.push(...element(0xbb, ...number(0xb3, start), ...at));
  }
  const parts = [...head, ...element(0x18538067, ...about, ...clusters, ...element(0x1c53bb6b, ...cues))];
  return new Blob(
    parts.map((part) => new Uint8Array(part)),
    { type: "video/webm" },
  );
}
