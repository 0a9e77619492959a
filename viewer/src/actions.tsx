// Buttons for the page as a whole.
import { useState } from "preact/hooks";
import type { Shared } from "./shared";

interface Props {
  shared: Shared;
  help: boolean;
  /** Writes the address, which the link then copies. */
  onLink: () => void;
  onTheme: () => void;
  onHelp: () => void;
  /** Undefined where nothing can be recorded. */
  onClip?: () => void;
  /** How much of the clip is recorded; null if none is. */
  recorded: number | null;
}

export function Actions({ shared: { dark }, help, onLink, onTheme, onHelp, onClip, recorded }: Props) {
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
    <span class="actions">
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
    </span>
  );
}
