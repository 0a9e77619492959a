// Buttons for the page as a whole.
import type { Shared } from "./shared";

interface Props {
  shared: Shared;
  help: boolean;
  shares: boolean;
  onTheme: () => void;
  onHelp: () => void;
  onShare: () => void;
}

export function Actions({ shared: { dark }, help, shares, onTheme, onHelp, onShare }: Props) {
  return (
    <span class="actions">
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
