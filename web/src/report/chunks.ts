// The elements of the file that hold data. They stand behind the program, which paints before them.

/** Return when the whole file is read. */
export function parsed(): Promise<void> {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((resolve) =>
    document.addEventListener("DOMContentLoaded", () => resolve(), { once: true }),
  );
}

/** Return when the browser has painted what is there. */
export function painting(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Yield the chunks of a kind. */
export function* chunks(kind: "index" | "details" | "comparison"): Generator<string> {
  for (const element of document.querySelectorAll(`script[data-chunk="${kind}"]`)) {
    yield element.textContent;
  }
}
