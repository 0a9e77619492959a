// What the page has as a whole: the attributes of its root, its colours, what its window and canvases hear.

/** The theme, and what tests wait for. */
export function attributes(): DOMStringMap {
  return document.documentElement.dataset;
}

/** Returns the colours of the theme by their names in `tokens.css`. */
export function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

type Heard = { [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void };

/** Calls functions for events of the window, or of a canvas; returns what ends that. */
export function hears(
  heard: Heard,
  options?: AddEventListenerOptions,
  target: Window | HTMLCanvasElement = window,
): () => void {
  const all = Object.entries(heard) as [string, (event: Event) => void][];
  for (const [name, call] of all) target.addEventListener(name, call, options);
  return () => {
    for (const [name, call] of all) target.removeEventListener(name, call, options);
  };
}
