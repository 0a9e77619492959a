// An MP4 file of encoded frames: first what a player needs to know, then the frames. ISO/IEC 14496-12, 14496-15.

export interface Frame {
  /** Frames from the start: the encoder may leave some out. */
  place: number;
  key: boolean;
  data: Uint8Array;
}

const short = (...values: number[]): number[] => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const long = (...values: number[]): number[] => values.flatMap((value) => short(value >>> 16, value));
const zeros = (count: number): number[] => Array(count).fill(0);
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
/** A box: its length, its name, and what it holds. */
function box(name: string, ...parts: number[][]): number[] {
  const held = parts.flat();
  return [...long(held.length + 8), ...text(name), ...held];
}
/** A box with a version, 0, and flags. */
const full = (name: string, flags: number, ...parts: number[][]): number[] => box(name, long(flags), ...parts);
/** The picture as it is: neither turned nor stretched. */
const UPRIGHT = long(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
/** VP9: profile 0, level 3.1, 8 bits, 4:2:0, colours that nobody specified. */
const VP9 = full("vpcC", 0x1000000, [0, 31, 0x82, 2, 2, 2, 0, 0]);

/** Returns the file. `setup` is what decoders of H.264 need; without it the frames are VP9. */
export function mp4(frames: Frame[], setup: Uint8Array | null, width: number, height: number, fps: number): Blob {
  const places = frames.map(({ place }) => place),
    until = places[places.length - 1] + 1;
  const times = places.flatMap((place, at) => long(1, (places[at + 1] ?? until) - place)),
    keys = frames.flatMap(({ key }, at) => (key ? long(at + 1) : []));
  const sizes = frames.flatMap(({ data }) => long(data.length));
  const picture = box(
    setup ? "avc1" : "vp09",
    zeros(6),
    short(1),
    zeros(16),
    short(width, height),
    long(0x480000, 0x480000, 0), // 72 dots an inch
    short(1),
    zeros(32),
    short(24, -1),
    setup ? box("avcC", [...setup]) : VP9,
  );
  const kind = box("ftyp", text("isom"), long(512), text("isomiso2mp41"));
  /** All but the frames, which begin at a byte. */
  const about = (begin: number): number[] => {
    const samples = box(
      "stbl",
      full("stsd", 0, long(1), picture),
      full("stts", 0, long(frames.length), times),
      full("stss", 0, long(keys.length / 4), keys),
      full("stsc", 0, long(1, 1, frames.length, 1)),
      full("stsz", 0, long(0, frames.length), sizes),
      full("stco", 0, long(1, begin)),
    );
    const media = box(
      "mdia",
      full("mdhd", 0, long(0, 0, fps, until), short(0x55c4, 0)),
      full("hdlr", 0, long(0), text("vide"), zeros(13)),
      box("minf", full("vmhd", 1, zeros(8)), box("dinf", full("dref", 0, long(1), full("url ", 1))), samples),
    );
    const size = long(width << 16, height << 16);
    const track = full("tkhd", 3, long(0, 0, 1, 0, until), zeros(16), UPRIGHT, size);
    return box(
      "moov",
      full("mvhd", 0, long(0, 0, fps, until, 0x10000), zeros(12), UPRIGHT, zeros(24), long(2)),
      box("trak", track, media),
    );
  };
  const before = kind.length + about(0).length + 8,
    data = frames.map((frame) => frame.data as BlobPart);
  const length = frames.reduce((sum, frame) => sum + frame.data.length, 8);
  const head = new Uint8Array([...kind, ...about(before), ...long(length), ...text("mdat")]);
  return new Blob([head, ...data], { type: "video/mp4" });
}
