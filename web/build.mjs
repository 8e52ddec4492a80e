// Bundles the pages into the Python package. `node build.mjs [FOLDER]`: FOLDER is the repository's
// root unless another is given. The same lock file gives the same bytes; a test compares them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WEB = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(process.argv[2] ?? join(WEB, ".."));

/** What is built: entry below src/ -> file of the package. */
const PAGES = {
  "report/main.ts": "lve/extensions/reports/page/report.js",
  "report/report.css": "lve/extensions/reports/page/report.css",
  "site/main.ts": "lve/extensions/site/page/site.js",
  "site/site.css": "lve/extensions/site/page/site.css",
};

const OPTIONS = {
  absWorkingDir: WEB,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: ["chrome100", "firefox115", "safari16.4"],
  legalComments: "none", // the licences are collected below, whole
  metafile: true,
  write: false,
};

/** `import source from "worker:./file.ts"` gives the bundled program of a worker as a text. */
const workers = {
  name: "workers",
  setup(builder) {
    builder.onResolve({ filter: /^worker:/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice("worker:".length)),
      namespace: "worker",
    }));
    builder.onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path] });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

for (const [entry, output] of Object.entries(PAGES)) {
  const result = await build({ ...OPTIONS, entryPoints: [`src/${entry}`], plugins: [workers] });
  const file = join(ROOT, output);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, licences(result.metafile) + result.outputFiles[0].text);
}

/** The licences of the packages in a bundle, as a comment for its beginning. */
function licences(metafile) {
  const texts = new Map();
  for (const name of [...bundledPackages(metafile)].sort()) {
    const { title, text } = licenceOf(name);
    texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  if (texts.size === 0) return "";
  const parts = [...texts].map(([text, titles]) => `${titles.join(", ")}\n\n${text}`);
  return `/*! This file contains:\n\n${parts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

function bundledPackages(metafile) {
  const inputs = Object.keys(metafile.inputs);
  const found = inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return new Set(found.filter(Boolean));
}

function licenceOf(name) {
  const folder = join(WEB, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt"]) {
    try {
      const text = readFileSync(join(folder, file), "utf8").trim();
      return { title: `${name} ${version} (${license})`, text };
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }
  throw new Error(`${relative(WEB, folder)} has no licence file: look it up before you bundle it`);
}
