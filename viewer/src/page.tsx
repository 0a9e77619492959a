// The page: a list of recordings, one of them, or two side by side.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, placeOf, startingPlace } from "./address";
import { openSource, type Entry, type Source, type Summary } from "./data";
import { Files } from "./files";
import { handOn } from "./hooks/beside";
import { useLoaded } from "./hooks/loaded";
import { watchInput } from "./settled";
import { Theatre } from "./theatre";
import { attributes, hears } from "./root";
import { Wrong } from "./status";

function Viewer({ source, match, several }: { source: Source; match: number; several: boolean }) {
  const { found: summary, error } = useLoaded(() => source.get<Summary>(match, "summary"), [source, match]);
  if (error)
    return (
      <main class="files">
        <h1>playhead</h1>
        <Wrong text={error} />
        {several && <a href="#all">all recordings</a>}
      </main>
    );
  if (!summary)
    return (
      <main class="files">
        <h1 class="sr">playhead</h1>
        <p role="status">opening…</p>
      </main>
    );
  return <Theatre source={source} match={match} summary={summary} several={several} />;
}

/** Two recordings in frames; what the user does to the playhead of one moves the other, on the game's clock. */
function Pair({ files, matches }: { files: Entry[]; matches: [number, number] }) {
  const frames = [useRef<HTMLIFrameElement>(null), useRef<HTMLIFrameElement>(null)];
  const [own] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const heard = (event: MessageEvent): void =>
      handOn(
        frames.map((frame) => frame.current?.contentWindow ?? null),
        event,
      );
    return hears({ message: heard });
  });
  return (
    <main class="pair">
      <h1 class="sr">two recordings</h1>
      {matches.map((match, place) => (
        <iframe
          key={match}
          ref={frames[place]}
          title={files.find((file) => file.id === match)?.name}
          src={`./${addressOf({ ...own, match, beside: null })}`}
        />
      ))}
    </main>
  );
}

function Page({ source, first }: { source: Source; first: Entry[] }) {
  const [files, setFiles] = useState(first);
  const [place, setPlace] = useState(startingPlace);
  const [turn, setTurn] = useState(0);
  const [dropped, setDropped] = useState<string | null>(null);
  useEffect(() => {
    // The page itself replaces the address without this event: somebody edited it, or followed a link.
    const heard = (): void => {
      setPlace(placeOf(location.hash));
      setTurn((old) => old + 1);
    };
    return hears({ hashchange: heard });
  }, []);
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = async (event: DragEvent): Promise<void> => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      if (!source.live) {
        setDropped("a report holds one match; run playhead view to open others");
        return;
      }
      setDropped(`opening ${file.name}…`);
      try {
        const id = await source.add(file);
        setFiles(await source.files());
        setDropped(null);
        location.hash = `m=${id}`;
      } catch (error) {
        setDropped((error as Error).message);
      }
    };
    return hears({ dragover: over, drop });
  }, [source]);
  const several = files.length > 1,
    known = (id: number | null): id is number => files.some((file) => file.id === id);
  const { match, beside } = place;
  const shown = (): preact.JSX.Element => {
    if (several && known(match) && known(beside)) return <Pair key={turn} files={files} matches={[match, beside]} />;
    if (several && !known(match)) return <Files source={source} files={files} />;
    if (!files.length)
      return (
        <main class="files">
          <h1>playhead</h1>
          <p>No recordings.</p>
        </main>
      );
    const id = several && match !== null ? match : files[0].id;
    return <Viewer key={`${id} ${turn}`} source={source} match={id} several={several} />;
  };
  return (
    <>
      {shown()}
      {dropped && (
        <p class="dropped" role="status">
          {dropped} <button onClick={() => setDropped(null)}>close</button>
        </p>
      )}
    </>
  );
}

async function begin(): Promise<void> {
  watchInput();
  const place = document.getElementById("page") as HTMLElement;
  if (!attributes().theme) attributes().theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  try {
    const source = await openSource();
    render(<Page source={source} first={await source.files()} />, place);
  } catch (error) {
    place.textContent = `playhead could not open this: ${(error as Error).message}`;
  }
}
begin();
