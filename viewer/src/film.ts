// A film of the map as a file: each frame is drawn and encoded as fast as this machine can.
import type { MapView } from "./map";
import type { Playback } from "./playback";
import { type Frame, mp4 } from "./mp4";

export const WIDTH = 1280,
  HEIGHT = 720;
const FPS = 30,
  BITS = 6_000_000;
/** Frames from a key frame to the next, and frames that wait for the encoder. */
const KEY = 2 * FPS,
  WAITING = 8;
/** Milliseconds after which a stretch that does not come ends the film. */
const PATIENCE = 20_000;
/** H.264, which plays everywhere, in its better and in its first profile; some browsers encode VP9 only. */
const CODECS = ["avc1.64001f", "avc1.42001f", "vp09.00.31.08"];

/** Whether this browser can encode films. */
export const canFilm = (): boolean => typeof VideoEncoder !== "undefined";

async function configOf(): Promise<VideoEncoderConfig> {
  for (const codec of CODECS) {
    const config = {
      codec,
      width: WIDTH,
      height: HEIGHT,
      bitrate: BITS,
      framerate: FPS,
      latencyMode: "realtime" as const,
    };
    if ((await VideoEncoder.isConfigSupported(config)).supported) return config;
  }
  throw new Error("this browser cannot encode H.264 or VP9");
}
function bytesOf(data: AllowSharedBufferSource): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
/** Lets the rest of the page run; a timer would wait some milliseconds each time. */
function soon(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}

/** Films from a tick to another one at the speed of the playback; `paint` draws the frame of a tick after the map has drawn it,
 *  `told` hears how much is done. Returns null if `signal` stops it. */
export async function film(
  map: MapView,
  playback: Playback,
  [start, end]: [number, number],
  paint: (pen: CanvasRenderingContext2D, tick: number) => void,
  told: (share: number) => void,
  signal: AbortSignal,
): Promise<Blob | null> {
  const board = document.createElement("canvas");
  board.width = WIDTH;
  board.height = HEIGHT;
  const pen = board.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  const config = await configOf();
  const frames: Frame[] = [];
  let setup: Uint8Array | null = null;
  let wrong: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, about) => {
      const { description } = about?.decoderConfig ?? {};
      if (description) setup = bytesOf(description);
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ place: Math.round((chunk.timestamp * FPS) / 1_000_000), key: chunk.type === "key", data });
    },
    error: (error) => {
      wrong = error;
    },
  });
  encoder.configure(config);
  const back = playback.tick,
    count = Math.max(1, Math.round(playback.secondsOf(end - start) * FPS));
  if (playback.playing) playback.toggle();
  try {
    for (let number = 0; number < count; number++) {
      playback.tick = start + ((end - start) * number) / count; // told to nobody: the panels would be made anew for each frame
      const asked = performance.now();
      while (!map.draw(playback.tick, 2)) {
        if (signal.aborted) return null;
        if (performance.now() - asked > PATIENCE) throw new Error("a part of the recording does not come");
        await soon();
      }
      paint(pen, playback.tick);
      const frame = new VideoFrame(board, { timestamp: (number * 1_000_000) / FPS, duration: 1_000_000 / FPS });
      encoder.encode(frame, { keyFrame: number % KEY === 0 });
      frame.close();
      if (number % WAITING === 0) told(number / count);
      do {
        if (signal.aborted) return null;
        if (wrong) throw wrong;
        await soon();
      } while (encoder.encodeQueueSize > WAITING);
    }
    await encoder.flush();
    return mp4(frames, setup, WIDTH, HEIGHT, FPS);
  } finally {
    encoder.close();
    playback.begin(back);
  }
}
