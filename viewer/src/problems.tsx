// The panel of what could not be read.
import type { Problem } from "./data";
import { useLoaded } from "./hooks/loaded";
import type { Shared } from "./shared";
import { Wrong } from "./status";

export function ProblemsPanel({ shared }: { shared: Shared }) {
  const { found, error } = useLoaded<Problem[]>(() => shared.source.get<Problem[]>(shared.match, "problems"), []);
  if (error) return <Wrong text={error} />;
  if (!found)
    return (
      <p class="dim" role="status">
        reading the whole recording…
      </p>
    );
  if (!found.length) return <p class="hint">Everything in the recording could be read.</p>;
  return (
    <ol class="problems">
      {found.map((problem, place) => (
        <li key={place}>
          <b>{problem.what}</b>
          <p class="dim">
            {problem.where}
            {problem.offset === null ? "" : `, byte ${problem.offset}`}
            {problem.tick === null ? "" : ", "}
            {problem.tick !== null && (
              <button class="link" onClick={() => shared.playback.seek(problem.tick as number)}>
                {shared.time(problem.tick)}
              </button>
            )}
          </p>
          <p>missing: {problem.cost}</p>
        </li>
      ))}
    </ol>
  );
}
