// Pictures for others: the score strip, the map and the lead, on a canvas of any size.
import type { Lead, Story } from "./data";
import type { Shared } from "./shared";
import { bestAt, gameOf, scoreAt } from "./strip";
import { colours } from "./root";
import { joined } from "./words";

const FAMILY = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', sans-serif";

export interface Scene {
  shared: Shared;
  story: Story;
  /** What the map shows now. */
  map: HTMLCanvasElement | null;
  tick: number;
  /** The last kills, over the map. */
  lines: string[];
  /** The clans of the sides of a card. */
  clan?: (team: number) => string | null;
}

/** Writes a text in a smaller font, or cut, where it is too long. */
function write(pen: CanvasRenderingContext2D, text: string, x: number, y: number, most: number): void {
  const size = Number(/(\d+)px/.exec(pen.font)?.[1]);
  for (let less = size; less > size * 0.6 && pen.measureText(text).width > most; less--)
    pen.font = pen.font.replace(/\d+px/, `${less}px`);
  let shown = text;
  while (shown.length > 1 && pen.measureText(shown).width > most) shown = shown.replace(/.…?$/u, "…");
  pen.fillText(shown, x, y);
}

/** Draws the sides with their scores and the clock between them. */
function drawStrip(pen: CanvasRenderingContext2D, { shared, story, tick, clan }: Scene, height: number): void {
  const { cast, summary, time } = shared,
    { width } = pen.canvas,
    of = colours();
  pen.fillStyle = of("panel");
  pen.fillRect(0, 0, width, height);
  pen.textBaseline = "middle";
  const sides = cast.sides.length === 2 ? cast.sides : [];
  sides.forEach((team, place) => {
    const out = place ? width - 24 : 24,
      sign = place ? -1 : 1;
    pen.fillStyle = cast.colour(null, team);
    pen.beginPath();
    if (place) pen.roundRect(out - 16, height / 2 - 8, 16, 16, 3);
    else pen.arc(out + 8, height / 2, 8, 0, 7);
    pen.fill();
    pen.textAlign = place ? "right" : "left";
    pen.font = `700 ${Math.round(height * 0.36)}px ${FAMILY}`;
    const name = cast.teamName(team),
      own = clan?.(team);
    // Where players change sides, a clan says more than a side.
    const [first, second] = summary.presentation.feed.sides_change && own ? [own, name] : [name, own];
    write(pen, first, out + sign * 28, height * (own ? 0.4 : 0.5), width * 0.28);
    pen.font = `500 ${Math.round(height * 0.17)}px ${FAMILY}`;
    if (second) pen.fillText(second, out + sign * 28, height * 0.76);
    const score = scoreAt(story.scores, team, tick);
    pen.textAlign = place ? "left" : "right";
    pen.font = `800 ${Math.round(height * 0.56)}px ${FAMILY}`;
    if (score !== null) pen.fillText(String(score), width / 2 - sign * width * 0.12, height / 2 + 2);
  });
  pen.textAlign = "center";
  pen.fillStyle = of("ink");
  pen.font = `700 ${Math.round(height * 0.32)}px ${FAMILY}`;
  pen.fillText(time(tick), width / 2, height * 0.36);
  pen.fillStyle = of("dim");
  pen.font = `500 ${Math.round(height * 0.17)}px ${FAMILY}`;
  const about = [
    sides.length ? "" : cast.headline(),
    gameOf(summary),
    summary.map ?? "",
    ...Object.values(bestAt(story, tick) ?? {}),
  ];
  write(pen, joined(about), width / 2, height * 0.72, width * (sides.length ? 0.22 : 0.8));
}

/** Draws the map between two heights, whole, and the last kills over it. */
function drawMap(pen: CanvasRenderingContext2D, { map, lines }: Scene, top: number, foot: number): void {
  const { width } = pen.canvas;
  pen.fillStyle = colours()("map");
  pen.fillRect(0, top, width, foot - top);
  if (map?.width && map.height) {
    const share = Math.min(width / map.width, (foot - top) / map.height);
    const [wide, high] = [map.width * share, map.height * share];
    pen.drawImage(map, (width - wide) / 2, top + (foot - top - high) / 2, wide, high);
  }
  const size = Math.max(13, Math.round(pen.canvas.height / 36));
  pen.font = `600 ${size}px ${FAMILY}`;
  pen.textAlign = "right";
  pen.textBaseline = "top";
  pen.lineWidth = size / 4;
  pen.lineJoin = "round";
  pen.strokeStyle = colours()("map");
  pen.fillStyle = colours()("ink");
  lines.forEach((line, place) => {
    pen.strokeText(line, width - size, top + size + place * size * 1.4);
    pen.fillText(line, width - size, top + size + place * size * 1.4);
  });
}

/** Draws which side led over the match, and a line at the moment. */
function drawLead(
  pen: CanvasRenderingContext2D,
  { shared: { cast, playback }, tick: now }: Scene,
  { tick, values, teams, label }: Lead,
  top: number,
  foot: number,
): void {
  const { width } = pen.canvas,
    of = colours(),
    middle = (top + foot) / 2;
  const x = (at: number): number => ((at - playback.first) / Math.max(1, playback.last - playback.first)) * width;
  const ahead = tick.map((_, place) => values[0][place] - values[1][place]);
  const most = Math.max(1, ...ahead.map(Math.abs));
  pen.fillStyle = of("paper");
  pen.fillRect(0, top, width, foot - top);
  ahead.forEach((by, place) => {
    const size = (Math.abs(by) / most) * ((foot - top) / 2 - 6),
      left = x(tick[place]);
    pen.fillStyle = cast.colour(null, by > 0 ? teams[0] : teams[1]);
    pen.fillRect(
      left,
      by > 0 ? middle - size : middle,
      Math.max(1, x(tick[place + 1] ?? playback.last) - left + 0.5),
      size,
    );
  });
  pen.fillStyle = of("rule");
  pen.fillRect(0, middle, width, 1);
  pen.fillStyle = of("ink");
  pen.fillRect(x(now) - 1, top, 2, foot - top);
  pen.font = `500 14px ${FAMILY}`;
  pen.textAlign = "left";
  pen.textBaseline = "top";
  pen.fillStyle = of("dim");
  pen.fillText(`lead: ${label.replace(/ \(.*/, "")}`, 12, top + 6);
}

/** Draws a frame of a film: strip and map. */
export function drawFrame(pen: CanvasRenderingContext2D, scene: Scene): void {
  const strip = Math.round(pen.canvas.height * 0.11);
  drawMap(pen, scene, strip, pen.canvas.height);
  drawStrip(pen, scene, strip);
}

/** Draws a card: strip, map, the lead of the match, and in words what the moment is. */
export function drawCard(pen: CanvasRenderingContext2D, scene: Scene, moment: string): void {
  const { width, height } = pen.canvas,
    of = colours(),
    lead = scene.story.lead;
  const foot = height - 52,
    end = lead ? foot - 120 : foot;
  drawMap(pen, scene, 100, end);
  if (lead) drawLead(pen, scene, lead, end, foot);
  drawStrip(pen, scene, 100);
  pen.fillStyle = of("panel");
  pen.fillRect(0, foot, width, height - foot);
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.fillStyle = of("ink");
  pen.font = `600 22px ${FAMILY}`;
  write(pen, moment, 20, foot + 27, width - 220);
  pen.textAlign = "right";
  pen.fillStyle = of("dim");
  pen.font = `500 17px ${FAMILY}`;
  pen.fillText("made with playhead", width - 20, foot + 27);
}
