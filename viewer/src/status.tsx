// What a panel says instead of its content.

/** An error; nothing without one. */
export function Wrong({ text }: { text: string | null | undefined }) {
  return text ? (
    <p class="error" role="alert">
      {text}
    </p>
  ) : null;
}

/** Says that an answer is awaited, or that there is nothing. */
export function Reading({ none }: { none?: boolean }) {
  return (
    <p class="hint" role="status">
      {none ? "The recording has none." : "reading the recording…"}
    </p>
  );
}
