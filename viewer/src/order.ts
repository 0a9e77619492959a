// The order of rows by a column. As text, `-` before the name of the column turns it.

export function orderOf(order: string): { by: string; turned: boolean } {
  const turned = order.startsWith("-");
  return { by: turned ? order.slice(1) : order, turned };
}

/** Compares two numbers, or else two texts, each turned by a sign of -1; what is missing comes last. */
export function compared(
  a: unknown,
  b: unknown,
  numbers: number,
  texts: number,
  options?: Intl.CollatorOptions,
): number {
  if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1;
  return typeof a === "number" && typeof b === "number"
    ? numbers * (a - b)
    : texts * String(a).localeCompare(String(b), undefined, options);
}
