// What others get: a link, one file with the range, a card, a film.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Range } from "./address";
import type { Mark, Moment, Opening, Story } from "./data";
import { canFilm, film, HEIGHT, WIDTH } from "./film";
import { killText, lastKills, markText } from "./killfeed";
import type { MapView } from "./map";
import { drawCard, drawFrame, type Scene } from "./picture";
import type { Shared } from "./shared";
import { clanOf, gameOf } from "./strip";

/** Seconds of a film without a chosen range, and size of a card: what sites show beside a link. */
const SECONDS = 10,
  CARD = [1200, 630] as const;

interface Props {
  shared: Shared;
  map: MapView | null;
  story: Story;
  moment: Moment | null;
  marks: Mark[];
  range: Range | null;
  opening: Opening | null;
  /** Writes the address, which the link then copies. */
  onLink: () => void;
  onClose: () => void;
}

/** Hands a file to the user. */
function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What happened at a tick: the last kill or event within some seconds, or what the page opened on. */
function momentText({ shared, marks, opening }: Pick<Props, "shared" | "marks" | "opening">, tick: number): string {
  const near = SECONDS * shared.summary.rate;
  if (opening && Math.abs(opening.tick - tick) < near)
    return opening.label.replace(/^./, (first) => first.toUpperCase());
  const last = marks.findLast((mark) => mark.tick <= tick && tick - mark.tick < near);
  return last ? markText(shared, last) : shared.cast.headline() || gameOf(shared.summary);
}

export function ShareSheet(props: Props) {
  const { shared, map, story, marks, range, onLink, onClose } = props;
  const { playback, summary, source, match, time } = shared;
  const [note, setNote] = useState("");
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const here = Math.floor(playback.tick),
    stem = summary.name.replace(/\.[^.]*$/, "");
  const part: Range = range ?? [
    playback.tick,
    Math.min(playback.last, playback.tick + SECONDS * summary.rate * playback.speed),
  ];
  const scene = (tick: number): Scene => ({
    shared,
    story,
    map: map?.canvas ?? null,
    tick,
    lines: lastKills(marks, tick, summary.rate).map(
      ({ mark, times }) => `${killText(shared.cast, mark.kill)}${times > 1 ? ` ×${times}` : ""}`,
    ),
  });
  const link = (): void => {
    onLink();
    navigator.clipboard?.writeText(location.href).then(
      () => setNote("copied"),
      () => setNote("the browser does not let this page copy"),
    );
  };
  const clan = (team: number): string | null => clanOf(shared, props.moment, team);
  const card = (): void => {
    const board = document.createElement("canvas");
    [board.width, board.height] = CARD;
    drawCard(board.getContext("2d") as CanvasRenderingContext2D, { ...scene(here), clan }, momentText(props, here));
    board.toBlob((blob) => blob && save(blob, `${stem}-${here}.png`));
  };
  const clip = async (): Promise<void> => {
    if (!map || done !== null) return;
    const began = performance.now();
    stop.current = new AbortController();
    setDone(0);
    setNote("");
    try {
      const paint = (pen: CanvasRenderingContext2D, tick: number): void => drawFrame(pen, scene(Math.floor(tick)));
      const found = await film(map, playback, part, paint, setDone, stop.current.signal);
      if (found) save(found, `${stem}-${Math.floor(part[0])}.mp4`);
      setNote(
        found
          ? `${Math.round(playback.secondsOf(part[1] - part[0]))} s filmed in ${((performance.now() - began) / 1000).toFixed(1)} s`
          : "no film",
      );
    } catch (error) {
      setNote((error as Error).message);
    } finally {
      setDone(null);
    }
  };
  const whole = source.link(match, "report", { ...(range && { from: range[0], to: range[1] }), at: here });
  return (
    <div class="sheet share" role="dialog" aria-label="share">
      <p class="dim small">{range ? `the range, ${time(range[0])} – ${time(range[1])}` : "no range is chosen"}</p>
      <ul>
        {source.live && (
          <li>
            <a class="button main" href={whole} download={`${stem}.html`}>
              one file
            </a>
            <span>{range ? "the range" : "the match"} as a page that opens everywhere, without playhead</span>
          </li>
        )}
        <li>
          <button onClick={card}>card</button>
          <span>
            a picture of this moment, {CARD[0]} × {CARD[1]}
          </span>
        </li>
        {map && canFilm() && (
          <li>
            {done === null ? (
              <button onClick={clip}>clip</button>
            ) : (
              <button onClick={() => stop.current?.abort()}>cancel</button>
            )}
            <span>
              {done === null ? (
                `a film of ${range ? "the range" : `${SECONDS} seconds from here`}, ${WIDTH} × ${HEIGHT}`
              ) : (
                <progress value={done} aria-label="filmed" />
              )}
            </span>
          </li>
        )}
        <li>
          <button onClick={link}>link</button>
          <span>
            {source.live
              ? "to all that is seen; it works on this machine alone, while playhead runs"
              : "to all that is seen, for others who have this file"}
          </span>
        </li>
      </ul>
      <p class="small" role="status">
        {note}
      </p>
      <button onClick={onClose}>close</button>
    </div>
  );
}
