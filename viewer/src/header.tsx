// The top of the page: the match in a line, and buttons for the page as a whole.
import { useState } from "preact/hooks";
import { Icon } from "./icons";
import type { Shared } from "./shared";
import { timeText } from "./time";

interface Props {
  shared: Shared;
  several: boolean;
  help: boolean;
  /** Writes the address, which the link then copies. */
  onLink: () => void;
  onTheme: () => void;
  onHelp: () => void;
  /** Undefined where nothing can be recorded. */
  onClip?: () => void;
  /** How much of the clip is recorded; null if none is. */
  recorded: number | null;
  problems: number;
  onProblems: () => void;
}

function Facts({ shared: { summary, cast }, headline }: { shared: Shared; headline: string }) {
  const day = (summary.started ?? summary.ended)?.slice(0, 10);
  return (
    <span class="dim" title={[summary.title, summary.map, summary.name].filter(Boolean).join(" · ")}>
      {summary.winner && (
        <b>
          winner: <bdi>{cast.winner}</bdi> ·{" "}
        </b>
      )}
      {summary.title}
      {summary.map && (
        <>
          {" "}
          · on <bdi>{summary.map}</bdi>
        </>
      )}
      {summary.rate_known && ` · ${timeText((summary.last_tick - summary.first_tick) / summary.rate)} long`}
      {day && ` · ${day}`}
      {headline && (
        <span class="file">
          {" "}
          · <bdi>{summary.name}</bdi>
        </span>
      )}
    </span>
  );
}

export function Header({
  shared,
  several,
  help,
  onLink,
  onTheme,
  onHelp,
  onClip,
  recorded,
  problems,
  onProblems,
}: Props) {
  const { summary, cast, source, dark } = shared;
  const headline = cast.headline();
  const [copied, setCopied] = useState(false);
  const link = (): void => {
    onLink();
    navigator.clipboard?.writeText(location.href).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
      },
      () => {},
    );
  };
  return (
    <header class="top">
      {several && (
        <a href="#all" aria-label="all recordings">
          <Icon name="list" />
        </a>
      )}
      <h1 dir="auto" title={summary.name}>
        {headline || summary.name}
      </h1>
      <Facts shared={shared} headline={headline} />
      {!summary.complete && (
        <span class="badge" title="the recording has no regular end">
          cut short
        </span>
      )}
      {problems > 0 && (
        <button type="button" class="badge" onClick={onProblems} title="not everything in the recording could be read">
          {problems === 1 ? "1 problem" : `${problems} problems`}
        </button>
      )}
      {!source.live && (
        <span class="badge" title="one file with the match in it; it needs no network">
          report
        </span>
      )}
      <span class="push" />
      {onClip && (
        <button
          type="button"
          onClick={onClip}
          disabled={recorded !== null}
          title="a film of the map: the chosen range, or 10 seconds from here"
        >
          {recorded === null ? "clip" : `recording ${Math.round(100 * recorded)} %`}
        </button>
      )}
      <button type="button" onClick={link} title="copy a link to all that is seen">
        {copied ? "copied" : "link"}
      </button>
      <button type="button" onClick={onTheme} title="T">
        {dark ? "light" : "dark"}
      </button>
      <button type="button" onClick={onHelp} aria-expanded={help} title="?">
        keys
      </button>
    </header>
  );
}
