// A panel of the game: lines about moments of one kind, which the map shows too.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Note } from "./data";
import { Dot } from "./dot";
import { useLoaded } from "./hooks/loaded";
import type { MapView } from "./map";
import type { Shared } from "./shared";
import { Reading, Wrong } from "./status";
import { joined } from "./words";

export function NotesPanel({ shared, label, map }: { shared: Shared; label: string; map: MapView | null }) {
  const { cast, playback } = shared;
  const [chosen, setChosen] = useState("");
  const { found, error } = useLoaded(() => shared.source.get<Record<string, Note[]>>(shared.match, "notes"), []);
  const lines = found?.[label];
  const shown = useMemo(() => lines?.filter(([, kind]) => !chosen || kind === chosen) ?? [], [lines, chosen]);
  useEffect(() => {
    map?.setNotes(shown);
    return () => map?.setNotes([]);
  }, [map, shown]);
  if (error) return <Wrong text={error} />;
  if (!lines?.length) return <Reading none={!!lines} />;
  return (
    <div class="notes">
      <div class="filters" role="group" aria-label={label}>
        {[...new Set(lines.map(([, kind]) => kind))].map((kind) => (
          <button key={kind} aria-pressed={chosen === kind} onClick={() => setChosen(chosen === kind ? "" : kind)}>
            {kind} <small>{lines.filter((each) => each[1] === kind).length}</small>
          </button>
        ))}
      </div>
      <ol>
        {shown.map(([tick, kind, text, player, team], place) => (
          <li key={place}>
            <button class="link" disabled={tick === null} onClick={() => playback.seek(tick ?? 0)}>
              {tick !== null && <time>{shared.time(tick)}</time>} <Dot cast={cast} player={player} team={team} />
              {chosen ? "" : <b>{kind} </b>}
              <bdi>{joined([cast.name(player), text])}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
