/** What the page says of a test, in the order of the list. */
interface Test {
  category: string;
  tag: string[];
  checker: string[];
  model: string[];
  text: string;
}

const CHOICES = ["tag", "checker", "model"] as const;
type Wanted = Record<"q" | "category" | (typeof CHOICES)[number], string>;
const NOTHING: Wanted = { q: "", category: "", tag: "", checker: "", model: "" };

/** Lets the reader search and filter the list of tests. The address holds what is wanted. */
export function findTests(): void {
  document.addEventListener("keydown", toSearch);
  const form = document.querySelector<HTMLFormElement>("#find");
  const data = document.querySelector("#tests")?.textContent;
  if (!form || !data) return;
  const tests = JSON.parse(data) as Test[];
  const rows = [...document.querySelectorAll<HTMLElement>(".test")];
  form.hidden = tests.length === 0;

  const show = (): void => {
    const wanted = inAddress();
    fill(form, wanted);
    const found = filter(tests, rows, wanted);
    const count = `${found.toLocaleString("en")} of ${tests.length.toLocaleString("en")} tests`;
    const all = found === tests.length;
    say(form, all ? "" : count);
    const none = document.querySelector<HTMLElement>("#none");
    if (none) none.hidden = found > 0 || tests.length === 0;
  };
  const want = (change: Partial<Wanted>): void => {
    history.replaceState(null, "", addressOf({ ...inAddress(), ...change }));
    show();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => want(given(form)));
  document.querySelector("[data-clear]")?.addEventListener("click", () => want(NOTHING));
  for (const chip of document.querySelectorAll<HTMLElement>("[data-category]")) {
    chip.addEventListener("click", (event) => {
      event.preventDefault();
      const category = chip.dataset.category ?? "";
      want({ category: inAddress().category === category ? "" : category });
    });
  }
  addEventListener("hashchange", show);
  show();
  if (location.hash === "#find") search(form)?.focus();
}

function filter(tests: Test[], rows: HTMLElement[], wanted: Wanted): number {
  const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  tests.forEach((test, index) => {
    const fits =
      (!wanted.category || test.category === wanted.category) &&
      CHOICES.every((name) => !wanted[name] || test[name].includes(wanted[name])) &&
      words.every((word) => test.text.includes(word));
    const row = rows[index];
    if (row && row.hidden === fits) row.hidden = !fits;
    if (fits) found += 1;
  });
  for (const section of document.querySelectorAll<HTMLElement>(".category")) {
    const shown = section.querySelectorAll(".test:not([hidden])").length;
    section.hidden = shown === 0;
    const number = section.querySelector(".number");
    if (number) number.textContent = shown.toLocaleString("en");
  }
  for (const chip of document.querySelectorAll<HTMLElement>("[data-category]")) {
    const isChosen = wanted.category !== "" && chip.dataset.category === wanted.category;
    if (isChosen) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
  return found;
}

function inAddress(): Wanted {
  const parts = new URLSearchParams(location.hash.slice(1));
  const names = Object.keys(NOTHING) as (keyof Wanted)[];
  return Object.fromEntries(names.map((name) => [name, parts.get(name) ?? ""])) as Wanted;
}

function addressOf(wanted: Wanted): string {
  const parts = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
  const text = parts.toString();
  return text ? `#${text}` : location.pathname + location.search;
}

function given(form: HTMLFormElement): Partial<Wanted> {
  const fields = new FormData(form);
  return Object.fromEntries([...fields].map(([name, value]) => [name, String(value)]));
}

function fill(form: HTMLFormElement, wanted: Wanted): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
    const value = wanted[field.name as keyof Wanted];
    if (field.value !== value) field.value = value;
  }
}

function say(form: HTMLFormElement, text: string): void {
  const status = form.querySelector("[role=status]");
  if (status) status.textContent = text;
}

function search(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector("input[type=search]");
}

/** `/` goes to the search, Escape leaves it. */
function toSearch(event: KeyboardEvent): void {
  const active = document.activeElement;
  const types = active instanceof HTMLInputElement || active instanceof HTMLSelectElement;
  if (event.key === "Escape" && types) active.blur();
  if (event.key !== "/" || types || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const field = document.querySelector<HTMLInputElement>("#find input[type=search]");
  if (field) field.focus();
  else document.querySelector<HTMLAnchorElement>("[data-find]")?.click();
}
