const KEY = "lve-theme";
type Theme = "light" | "dark";

/** Shows the page in the reader's colours: those that were chosen here, otherwise the system's. */
export function startTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const wanted = (): Theme => chosen() ?? (system.matches ? "dark" : "light");
  apply(wanted());
  system.addEventListener("change", () => apply(wanted()));
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector<HTMLButtonElement>("[data-theme-button]");
    if (!button) return;
    button.hidden = false;
    apply(wanted());
    button.addEventListener("click", () => {
      const next: Theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      remember(next);
      apply(next);
    });
  });
}

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  const button = document.querySelector("[data-theme-button]");
  if (button) button.textContent = theme === "dark" ? "Light" : "Dark";
}

function chosen(): Theme | undefined {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : undefined;
  } catch {
    return undefined; // some browsers keep nothing for files
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // as above: the choice holds for this page
  }
}
