// The tabs beside the map.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useCentred } from "./hooks/centred";
import type { Summary } from "./data";

/** Tabs for those who read recordings with programs. */
const DEVELOPERS = ["inspect", "tables", "problems"];

/** The tabs that a recording fills, of which the game names some; a report is not live. */
export function tabsOf(
  summary: Pick<Summary, "players" | "has_map" | "curves" | "builds" | "tables" | "notes">,
  live: boolean,
): string[] {
  const rounds = summary.tables.find(({ name }) => name === "rounds")?.columns ?? [];
  const tabs: [string, boolean][] = [
    ["summary", true],
    ["players", summary.players.length > 0 || summary.has_map],
    ["events", true],
    ["inspect", summary.has_map],
    ["curves", summary.curves.length > 0],
    ["builds", summary.builds !== null],
    ...summary.notes.map((label): [string, boolean] => [label, true]),
    ["overlay", live && summary.has_map && rounds.includes("freeze_end_tick")],
    ["tables", true],
    ["problems", true],
  ];
  return tabs.filter(([, filled]) => filled).map(([tab]) => tab);
}

export function Tabs({
  tabs,
  tab,
  builds,
  onTab,
  children,
}: {
  tabs: string[];
  tab: string;
  builds: string | null;
  onTab: (tab: string) => void;
  children: ComponentChildren;
}) {
  const [all, setAll] = useState(DEVELOPERS.some((each) => each === tab));
  const shown = tabs.filter((each) => all || each === tab || !DEVELOPERS.includes(each));
  const at = shown.indexOf(tab);
  const choose = (event: KeyboardEvent): void => {
    const place = at + (event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0);
    const next = shown[(place + shown.length) % shown.length];
    if (next === tab) return;
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
  };
  return (
    <aside class="side">
      <div ref={useCentred(at)} class="tabs">
        <div role="tablist" aria-label="panels" onKeyDown={choose}>
          {shown.map((each) => (
            <button
              key={each}
              id={`tab-${each}`}
              role="tab"
              aria-selected={tab === each}
              aria-controls={tab === each ? "panel" : undefined}
              tabIndex={each === shown[Math.max(0, at)] ? 0 : -1}
              onClick={() => onTab(tab === each ? "" : each)}
            >
              {each === "builds" ? builds : each}
            </button>
          ))}
        </div>
        <button id="developers" aria-expanded={all} onClick={() => setAll(!all)}>
          for developers
        </button>
      </div>
      {tab && (
        <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
          {children}
        </div>
      )}
    </aside>
  );
}
