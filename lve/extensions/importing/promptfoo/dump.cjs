// Writes the tests and rendered prompts of a configuration, as lines of JSON: promptfoo itself reads
// its files, runs its scripts and fills in its templates. Runs in promptfoo's environment.
//
// This file is run by its path, in a sandbox: it uses nothing of lve. No model is asked and nothing
// is judged: a provider of its own gets the prompts, and the assertions are taken off before.
// The first argument is the number of the pipe that gets the lines. Each begins with the nonce of
// the request, so that what a script prints is never one. `scripted.cjs` uses most of it.
'use strict';
const fs = require('fs');
const path = require('path');

const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const {nonce, modules, python, providers, limit, answer, entry: begin} = request;
const pipe = Number(process.argv[process.argv.length - 1]);
const PLACE = 'lveNumber';
const ENTRY = 'lveEntry';

function write(line) {
  const shown = (key, value) => {
    if (typeof value === 'function') return undefined;
    return value && typeof value.callApi === 'function' ? {id: String(value.id())} : value;
  };
  let left = Buffer.from(`${nonce} ${JSON.stringify(line, shown)}\n`);
  while (left.length) left = left.subarray(fs.writeSync(pipe, left));
}

// Between the entries of `tests` stand tests of our own, which say whose tests follow.
function marked(tests) {
  return tests.flatMap((test, entry) => [{metadata: {[ENTRY]: entry}}, test]);
}

// Writes the files that assertions name as node without TypeScript and ES modules reads them.
const translated = new Set();
function translate(value) {
  for (const [, file] of JSON.stringify(value ?? null).matchAll(/file:\/\/([^"\\:]+\.[cm]?[jt]s)/g)) {
    if (translated.has(file)) continue;
    translated.add(file);
    try {
      const {transformSync} = require(path.join(modules, 'esbuild'));
      const {code} = transformSync(fs.readFileSync(file, 'utf8'), {loader: 'ts', format: 'cjs'});
      write({kind: 'script', file, text: code});
    } catch {
      continue; // it stays as it is
    }
  }
}

function numbered(tests) {
  const kept = [];
  const counts = new Map();
  let entry = 0;
  for (const test of tests) {
    if (test.metadata && ENTRY in test.metadata) {
      entry = test.metadata[ENTRY];
      continue;
    }
    counts.set(entry, (counts.get(entry) ?? 0) + 1);
    if (limit && counts.get(entry) > limit) continue;
    write({kind: 'test', number: kept.length, entry, test});
    translate(test.assert);
    const {provider, ...asked} = test;
    kept.push({...asked, options: unjudged(test.options), assert: [], metadata: {...test.metadata, [PLACE]: kept.length}});
  }
  return kept;
}

// What changes answers isn't needed, and can't change those of our provider.
function unjudged(options) {
  const {transform, postprocess, provider, ...asked} = options ?? {};
  return asked;
}

// Between the entries of `prompts` stand prompts of our own, too.
function told(prompts, places = []) {
  const kept = [];
  let entry = 0;
  for (const prompt of prompts) {
    if (String(prompt.raw).startsWith(begin)) {
      entry = Number(prompt.raw.slice(begin.length));
      continue;
    }
    const number = kept.length;
    places.push([entry, places.filter(([own]) => own === entry).length]);
    write({kind: 'prompt', number, entry, label: String(prompt.label), config: prompt.config ?? null});
    kept.push({...prompt, config: {...prompt.config, [PLACE]: number}});
  }
  return kept;
}

exports.beforeAll = async ({suite}) => {
  suite.prompts = told(suite.prompts);
  suite.tests = numbered(suite.tests);
  suite.extensions.length = 0; // else results are read for a last hook, from a data base
  return {suite};
};

function provider({id, label, config}) {
  return {
    id: () => id,
    label,
    config,
    callApi: async (prompt, context) => {
      const {[PLACE]: of, ...own} = context.prompt.config ?? {};
      for (const name of Object.keys(context.test?.options ?? {})) delete own[name];
      write({kind: 'row', number: context.test?.metadata?.[PLACE], of, config: own, prompt,
        vars: context.vars});
      return {output: answer};
    },
  };
}

// Has promptfoo evaluate a configuration, and returns its results. `hook` is a file whose
// `beforeAll` changes prompts and tests before.
async function evaluated(config, hook, providers, maxConcurrency) {
  Object.assign(process.env, {
    PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1', PROMPTFOO_PYTHON: python,
    PROMPTFOO_CONFIG_DIR: process.env.HOME, PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
    PROMPTFOO_SELF_HOSTED: '1', LOG_LEVEL: 'error', NODE_PATH: modules,
  });
  require('module').Module._initPaths(); // scripts may use the packages of promptfoo
  fs.promises.chmod = async () => {}; // which no process in the sandbox may; temporary files are ours
  fs.chmodSync = () => {};
  const home = path.join(modules, 'promptfoo');
  const {version} = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
  write({kind: 'tool', version});
  const {evaluate} = require(home);
  // For these, promptfoo takes `file://FILE:FUNCTION` only.
  const extensions = [`file://${hook}:beforeAll`];
  const suite = {...config, tests: marked(config.tests), extensions,
    providers, writeLatestResults: false, sharing: false};
  const record = await evaluate(suite, {
    cache: false, maxConcurrency, showProgressBar: false, silent: true});
  return record.results ?? [];
}

async function main() {
  translate(request.asserted);
  const results = await evaluated(request.config, __filename, providers.map(provider), 1);
  for (const result of results) {
    if (result.error && !result.response) {
      const {metadata, vars} = result.testCase ?? {};
      write({kind: 'failed', number: metadata?.[PLACE], vars, why: result.error});
    }
  }
}

function run(main) {
  main().then(() => write({kind: 'end'}))
    .catch((error) => write({kind: 'refused', why: String(error?.message ?? error)}))
    .finally(() => process.exit(0));
}

if (require.main === module) run(main);
Object.assign(exports, {request, write, told, evaluated, run, PLACE, ENTRY});
