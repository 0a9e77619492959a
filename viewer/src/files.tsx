// The list of recordings.
import { useState } from "preact/hooks";
import type { Entry } from "./data";

export function Files({ files }: { files: Entry[] }) {
  const [search, setSearch] = useState("");
  const shown = files.filter((file) => `${file.folder}/${file.name}`.toLowerCase().includes(search.toLowerCase()));
  return (
    <main class="files">
      <h1>playhead</h1>
      <input type="search" placeholder="find a recording" aria-label="find a recording" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      <ul>{shown.slice(0, 500).map((file) => (
        <li key={file.id}><a href={`#m=${file.id}`}><b dir="auto">{file.name}</b>
          <span class="dim">{file.folder} · {file.size === null ? "" : `${(file.size / 1e6).toFixed(file.size < 1e5 ? 3 : 1)} MB`}</span></a></li>
      ))}</ul>
    </main>
  );
}
