import { findTests } from "./find";
import { startTheme } from "./theme";

startTheme();
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
  findTests();
});
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

/** Copies the command beside a button; where the browser refuses, selects it for the reader. */
async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.parentElement?.querySelector("code");
  if (!code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  } catch {
    getSelection()?.selectAllChildren(code);
  }
}
