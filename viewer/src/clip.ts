// A clip of the map as a file: the browser records what a canvas shows while the match plays.
import type { MapView } from "./map";
import type { Playback } from "./playback";

const FRAMES = 30,
  BITS = 6_000_000;
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

/** Whether this browser can record a canvas. */
export function canRecord(): boolean {
  return (
    typeof MediaRecorder !== "undefined" &&
    "captureStream" in HTMLCanvasElement.prototype &&
    KINDS.some((kind) => MediaRecorder.isTypeSupported(kind))
  );
}

/** Draws the map, and over it the title, the time and lines such as the last kills. */
function paint(
  pen: CanvasRenderingContext2D,
  map: HTMLCanvasElement,
  title: string,
  time: string,
  lines: string[],
): void {
  const { width, height } = pen.canvas,
    size = Math.max(12, Math.round(height / 36));
  pen.drawImage(map, 0, 0, width, height);
  pen.font = `600 ${size}px system-ui, sans-serif`;
  pen.textBaseline = "top";
  pen.lineWidth = size / 4;
  pen.lineJoin = "round";
  pen.strokeStyle = "#000a";
  pen.fillStyle = "#fff";
  const write = (text: string, x: number, y: number): void => {
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  };
  pen.textAlign = "left";
  write(title, size, size);
  write(time, size, height - 2 * size);
  pen.textAlign = "right";
  lines.forEach((line, place) => {
    write(line, width - size, size + place * size * 1.4);
  });
}

/** Plays from a tick for some seconds of playing time and returns the recorded film; `told` hears how much of it is done. */
export async function record(
  map: MapView,
  playback: Playback,
  start: number,
  seconds: number,
  title: string,
  time: () => string,
  lines: () => string[],
  told: (share: number) => void,
): Promise<Blob> {
  const board = document.createElement("canvas");
  const even = (side: number): number => Math.max(2, side - (side % 2)); // encoders want even sides
  board.width = even(map.canvas.width);
  board.height = even(map.canvas.height);
  const pen = board.getContext("2d") as CanvasRenderingContext2D;
  const kind = KINDS.find((each) => MediaRecorder.isTypeSupported(each));
  const recorder = new MediaRecorder(board.captureStream(FRAMES), { mimeType: kind, videoBitsPerSecond: BITS });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => {
    if (data.size) parts.push(data);
  };
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  playback.seek(start);
  if (!playback.playing) playback.toggle();
  let played = 0,
    before = playback.tick,
    still = performance.now();
  recorder.start();
  await new Promise<void>((resolve) => {
    const frame = (now: number): void => {
      paint(pen, map.canvas, title, time(), lines());
      if (playback.tick !== before) still = now;
      played += Math.max(0, playback.tick - before);
      before = playback.tick;
      told(Math.min(1, playback.secondsOf(played) / seconds));
      // The end, the end of the recording, a stop by the user, or a stretch that does not come.
      if (playback.secondsOf(played) >= seconds || !playback.playing || now - still > 15_000) resolve();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  if (playback.playing) playback.toggle();
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: recorder.mimeType });
}

/** Hands a file to the user. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
