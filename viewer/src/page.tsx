// The page: a list of recordings, or one of them.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { placeOf } from "./address";
import { openSource, type Entry, type Source, type Summary } from "./data";
import { Files } from "./files";
import { useLoaded } from "./hooks/loaded";
import { watchInput } from "./settled";
import { Theatre } from "./theatre";

function Viewer({ source, match, several }: { source: Source; match: number; several: boolean }) {
  const { found: summary, error } = useLoaded(() => source.get<Summary>(match, "summary"), [source, match]);
  if (error) return <main class="files"><p class="error" role="alert">{error}</p>{several && <a href="#all">all recordings</a>}</main>;
  if (!summary) return <main class="files"><p role="status">opening…</p></main>;
  return <Theatre source={source} match={match} summary={summary} several={several} />;
}

function Page({ source, files }: { source: Source; files: Entry[] }) {
  const [asked, setAsked] = useState(() => placeOf(location.hash).match);
  useEffect(() => {
    const heard = (): void => setAsked(placeOf(location.hash).match);
    window.addEventListener("hashchange", heard);
    return () => window.removeEventListener("hashchange", heard);
  }, []);
  const several = files.length > 1;
  if (several && (asked === null || !files.some((file) => file.id === asked))) return <Files files={files} />;
  if (!files.length) return <main class="files"><p>No recordings.</p></main>;
  const match = several && asked !== null ? asked : files[0].id;
  return <Viewer key={match} source={source} match={match} several={several} />;
}

async function begin(): Promise<void> {
  watchInput();
  const place = document.getElementById("page") as HTMLElement;
  if (!document.documentElement.dataset.theme) document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  try {
    const source = await openSource();
    render(<Page source={source} files={await source.files()} />, place);
  } catch (error) {
    place.textContent = `playhead could not open this: ${(error as Error).message}`;
  }
}
begin();
