// Writes what promptfoo sends and says of scripted answers, as lines of JSON, beside the dump, which
// has the rest: promptfoo renders its prompts, and its assertions judge, but those that ask a model.
'use strict';
const path = require('path');
const {request, write, told, evaluated, run, PLACE, ENTRY} = require('./dump.cjs');

const {modules, types, cases, counts, added, form: kind, usage, keys, replies} = request;
const UNASKED = 'lve has not asked this';
const PASSES = {type: 'javascript', value: 'true'};
const places = []; // number of a prompt -> that of its entry, and its own within it
const answers = new Map(); // promptfoo's name of a step -> the answer and the variables
const rows = new Map(); // number of a case -> its variables as texts -> their number

// Assertions of other types become one that passes, so that the others keep their numbers.
function unasked(assertions) {
  return (assertions ?? []).map((each) => {
    if (each?.type === 'assert-set') return {...each, assert: unasked(each.assert)};
    each = each?.provider ? without(each) : each;
    return types.includes(String(each?.type).replace(/^not-/, '')) ? each : {...each, ...PASSES};
  });
}

function without({provider, repeat, ...rest}) {
  return rest; // models that judge
}

// Judges give the replies of the request in turn, and say what they were asked.
const questions = new Map(); // prompt -> reply
const judge = {id: () => 'judge', callApi: async (prompt) => {
  if (!questions.has(prompt)) {
    questions.set(prompt, replies[questions.size % replies.length]);
    write({kind: 'judge', prompt, reply: questions.get(prompt)});
  }
  return {output: questions.get(prompt)};
}};

function judged(test, isTest = true) {
  const options = {...without(test.options ?? {}), ...(isTest ? {provider: judge} : {})};
  return {...without(test), options, assert: unasked(test.assert)};
}

function copies(tests) {
  const kept = [];
  const of = Object.fromEntries(cases.map(({entry, index}, number) => [`${entry} ${index}`, number]));
  const seen = new Map();
  let entry = 0;
  for (const test of tests) {
    if (test.metadata && ENTRY in test.metadata) {
      entry = test.metadata[ENTRY];
      continue;
    }
    const index = seen.get(entry) ?? 0;
    seen.set(entry, index + 1);
    const number = of[`${entry} ${index}`];
    const forms = number === undefined ? [] : cases[number].forms;
    forms.forEach((_, form) => kept.push({...judged(test),
      metadata: {...test.metadata, [PLACE]: {number, form}}}));
  }
  for (const [place, count] of seen) {
    if (place in counts && counts[place] !== count) write({kind: 'miscounted', entry: place, count});
  }
  return kept;
}

exports.beforeAll = async ({suite}) => {
  suite.prompts = told(suite.prompts, places);
  suite.tests = copies(suite.tests);
  suite.extensions.length = 0;
  return {suite};
};

function own(vars) {
  return Object.fromEntries(Object.entries(vars ?? {}).filter(([name]) => !added.includes(name)));
}

// Forms have variables as lve's prompts have them; null is the prompt itself.
function filled(form, prompt, vars) {
  const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  if (form === null) return prompt;
  return form.replace(/\{\{|\}\}|\{(\w+)\}/g, (all, name) => (name ? shown(vars[name]) : all[0]));
}

// As promptfoo's providers do where the answer must follow a schema, and as Gemini Live does.
function output(text) {
  if (kind === 'live') return {text, toolCall: {functionCalls: []}};
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function callApi(prompt, {prompt: {config}, test, vars}) {
  const {number, form} = test.metadata[PLACE];
  const of = config[PLACE];
  const each = cases[number];
  const seen = rows.get(number) ?? rows.set(number, new Map()).get(number);
  const key = JSON.stringify(own(vars));
  if (!seen.has(key)) seen.set(key, seen.size);
  if (form === 0) write({kind: 'row', number, of, prompt, vars: own(vars)});
  if (!each.judged.includes(places[of].join(' ')) || seen.get(key) >= each.rows) return {error: UNASKED};
  const answer = filled(each.forms[form], prompt, vars);
  answers.set(vars.__evalStepId, {answer, vars: own(vars)});
  return {output: output(answer), ...usage};
}

// What is said of each assertion, and of those in a set: [passes, [passes, ...]].
function verdicts({testCase, gradingResult}) {
  const each = nested(gradingResult?.componentResults ?? []);
  const isWhole = each.length === (testCase.assert ?? []).length;
  return isWhole ? each.map(([pass, parts]) => [pass, nested(parts).map(([part]) => part)]) : null;
}

// Behind each result stand its parts, those of sets and of scripts.
function nested(results) {
  const each = [];
  for (let at = 0; at < results.length; at += 1) {
    const count = results[at].componentResults?.length ?? 0;
    each.push([results[at].pass, results.slice(at + 1, at + 1 + count)]);
    at += count;
  }
  return each;
}

run(async () => {
  const references = require(path.join(modules, '@apidevtools/json-schema-ref-parser'));
  const whole = await references.dereference(request.config); // as promptfoo reads files
  const config = Object.fromEntries(keys.filter((key) => key in whole).map((key) => [key, whole[key]]));
  if (config.defaultTest) config.defaultTest = judged(config.defaultTest, false);
  // Providers of judges are looked up before the hook.
  config.tests = config.tests.map((test) => (typeof test === 'object' ? judged(test, false) : test));
  const results = await evaluated(config, __filename, [{...request.providers[0],
    id: () => request.providers[0].id, callApi}], 4);
  for (const result of results) {
    const {number} = result.testCase.metadata?.[PLACE] ?? {};
    const of = result.prompt?.config?.[PLACE];
    if (result.error === UNASKED) continue;
    const answer = answers.get(`test-${result.testIdx}-prompt-${result.promptIdx}-repeat-0`);
    if (!answer) {
      write({kind: 'failed', number, of, why: String(result.error).split('\n')[0]});
      continue;
    }
    write({kind: 'score', number, of, ...answer, passes: result.success,
      each: verdicts(result), why: String(result.error ?? '').split('\n')[0], threw: !result.gradingResult});
  }
});
