// Buttons for the page as a whole.
import type { Shared } from "./shared";

interface Props {
  shared: Shared;
  help: boolean;
  shares: boolean;
  quiet: boolean;
  onQuiet: () => void;
  onTheme: () => void;
  onHelp: () => void;
  onShare: () => void;
}

export function Actions({ shared: { dark }, help, shares, quiet, onQuiet, onTheme, onHelp, onShare }: Props) {
  return (
    <span class="actions">
      <button onClick={onQuiet} aria-pressed={quiet} title="hides who won until the end">
        no results
      </button>
      <button onClick={onTheme} title="T">
        {dark ? "light" : "dark"}
      </button>
      <button onClick={onHelp} aria-expanded={help} title="?">
        keys
      </button>
      <button class="main" onClick={onShare} aria-expanded={shares}>
        Share
      </button>
    </span>
  );
}
