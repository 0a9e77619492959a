// The list of recordings.
import { useEffect, useState } from "preact/hooks";
import type { Entry, Source } from "./data";
import { compared } from "./order";
import { timeText } from "./time";
import { joined } from "./words";

const PAGE = 500;
type Order = "name" | "folder" | "size" | "length" | "date" | "map";
const ORDERS: Order[] = ["name", "folder", "size", "length", "date", "map"];

/** The recordings whose names, folders, maps, players or results have each word, in an order. */
export function found(files: Entry[], search: string, order: Order, turned: boolean): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ name, folder, about }: Entry): string =>
    [
      folder,
      name,
      about?.title,
      about?.map,
      ...(about?.players ?? []),
      about?.winner && `winner:${about.winner}`,
      about?.error,
    ]
      .join(" ")
      .toLowerCase();
  const key = (entry: Entry): string | number | null =>
    ({
      name: entry.name,
      folder: `${entry.folder}/${entry.name}`,
      size: entry.size,
      length: entry.about?.seconds ?? null,
      date: entry.about?.started ?? null,
      map: entry.about?.map ?? null,
    })[order];
  const sign = turned ? -1 : 1;
  return files
    .filter((file) => {
      const all = text(file);
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => compared(key(a), key(b), -sign, sign, { numeric: true }) || a.id - b.id);
}

function About({ entry: { about, folder, size } }: { entry: Entry }) {
  const facts = about?.error
    ? [about.error]
    : about
      ? [
          about.title,
          about.map,
          about.players.length > 8 ? `${about.players.length} players` : about.players.join(", "),
          about.winner && `winner: ${about.winner}`,
          about.seconds !== null && timeText(about.seconds),
          about.started?.slice(0, 10),
        ]
      : ["…"];
  return (
    <span class="dim">
      {joined([...facts, folder, size === null ? "" : `${(size / 1e6).toFixed(size < 1e5 ? 3 : 1)} MB`])}
    </span>
  );
}

export function Files({ source, files }: { source: Source; files: Entry[] }) {
  const [entries, setEntries] = useState(files);
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<Order>("name");
  const [turned, setTurned] = useState(false);
  const [most, setMost] = useState(PAGE);
  const [one, setOne] = useState<number | null>(null);
  const unread = entries.filter((entry) => !entry.about).length;
  useEffect(() => {
    if (!unread) return;
    const timer = setTimeout(() => {
      source.files().then(setEntries, () => {});
    }, 1000);
    return () => clearTimeout(timer);
  }, [source, entries, unread]);
  const shown = found(entries, search, order, turned);
  const compare = (id: number): void => {
    if (one === null || one === id) setOne(one === null ? id : null);
    else location.hash = `m=${one}&with=${id}`;
  };
  return (
    <main class="files">
      <h1>playhead</h1>
      <div class="bar">
        <input
          type="search"
          placeholder="find names, maps, players, winner:name"
          aria-label="find a recording"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <label>
          order{" "}
          <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
            {ORDERS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button aria-pressed={turned} onClick={() => setTurned(!turned)}>
          reverse
        </button>
      </div>
      <p class="dim small" role="status">
        {shown.length ? `${shown.length} of ${entries.length} recordings` : "nothing found"}
        {unread ? `; ${unread} not read yet` : ""}
      </p>
      <ul>
        {shown.slice(0, most).map((file) => (
          <li key={file.id}>
            <a href={`#m=${file.id}`}>
              <b dir="auto">{file.name}</b>
              <About entry={file} />
            </a>
            <button
              aria-pressed={one === file.id}
              aria-label={`compare ${file.name}`}
              title="side by side with another one"
              onClick={() => compare(file.id)}
            >
              {one === null || one === file.id ? "compare" : "with this"}
            </button>
          </li>
        ))}
      </ul>
      {shown.length > most && (
        <button onClick={() => setMost(most + PAGE)}>show {Math.min(PAGE, shown.length - most)} more</button>
      )}
    </main>
  );
}
