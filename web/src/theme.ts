// Light or dark: as the system says until the reader chooses.

const KEY = "lve-theme";

/** Set the theme of the page. */
export function setUpTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  apply(stored() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => apply(stored() ?? (dark.matches ? "dark" : "light")));
}

/** Change from light to dark, or back, and remember it. */
export function toggleTheme(): void {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  apply(next);
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Some browsers keep nothing for pages that are files.
  }
}

function stored(): string | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "dark" || value === "light" ? value : null;
  } catch {
    return null;
  }
}

function apply(theme: string): void {
  document.documentElement.dataset.theme = theme;
}
