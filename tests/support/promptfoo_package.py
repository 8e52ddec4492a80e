"""A small stand-in for promptfoo's package, which the dump of its importer can run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from lve.extensions.importing.promptfoo.dumped import TOOL

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
EVALUATE = r"""
const path = require('path');
const load = name => require(path.resolve(name.replace('file://', '')));
const fill = (text, vars) => text.replace(/\{\{\s*(\w+)(\s*\|\s*upper)?\s*\}\}/g,
  (_, name, upper) => { const v = vars[name] ?? ''; return upper ? v.toUpperCase() : String(v); });
const isJson = text => { try { JSON.parse(text); return true; } catch { return false; } };
const judge = ({type, value, assert, passes}, output) => {
  const not = type.startsWith('not-');
  switch (type.replace('not-', '')) {
    case 'assert-set': {
      const members = assert.flatMap(each => judge(each, output));
      const pass = members.every(each => each.pass);
      return [{pass, componentResults: members}, ...members];
    }
    case 'contains': return [{pass: output.includes(value) !== not}];
    case 'equals': return [{pass: (output === value) !== not}];
    case 'is-json': return [{pass: isJson(output)}];
    case 'javascript': return [{pass: value === 'true' || output.length < 20}];
    case 'llm-rubric': return [{pass: passes}];
    case 'throwing': throw new Error('it throws');
  }
  throw new Error(`no assertion ${type}`);
};
const shown = text => isJson(text) ? String(JSON.parse(text) ?? '') : text;
const asked = async (each, vars, output, {provider, rubricPrompt}) => {
  const rubric = fill(String(each.value), vars);
  const prompt = fill(each.rubricPrompt ?? rubricPrompt, {...vars, output: shown(output), rubric});
  const reply = (await provider.callApi(prompt, {})).output;
  return {...each, passes: isJson(reply) && JSON.parse(reply).pass !== false};
};
const graded = async (written, vars, output, threshold, options) => {
  const asserts = [];
  for (const each of written)
    asserts.push(each.type === 'llm-rubric' ? await asked(each, vars, output, options) : each);
  const filled = each => ({...each, value: fill(String(each.value ?? ''), vars),
    assert: each.assert?.map(filled)});
  const componentResults = asserts.flatMap(each => judge(filled(each), output));
  const passed = componentResults.filter(each => each.pass).length;
  return {componentResults, pass: passed >= componentResults.length * (threshold ?? 1)};
};
exports.evaluate = async (suite) => {
  if (suite.prompts.some(p => String(p).includes('REFUSED'))) throw new Error('no such prompt');
  const prompts = suite.prompts.map(p => p.endsWith('.js')
    ? {raw: p, label: p, function: load(p), config: {}} : {raw: p, label: p});
  const tests = [];
  for (const test of suite.tests) tests.push(...(typeof test === 'string' ? load(test) : [test]));
  const held = {prompts, tests, extensions: [...suite.extensions]};
  const [file, name] = held.extensions[0].replace('file://', '').split(':');
  await require(file)[name]({suite: held});
  const results = [];
  let testIdx = -1;
  for (const test of held.tests) {
    const base = {...suite.defaultTest?.vars, ...test.vars};
    const values = Object.entries(base).map(
      ([k, v]) => (Array.isArray(v) ? v : [v]).map(x => [k, x]));
    const combos = values.reduce((all, own) => all.flatMap(a => own.map(o => [...a, o])), [[]]);
    const asserts = [...suite.defaultTest?.assert ?? [], ...test.assert ?? []];
    for (const combo of combos) {
    testIdx += 1;
    for (const provider of suite.providers)
    for (const [promptIdx, prompt] of held.prompts.entries()) {
      const vars = Object.fromEntries(combo);
      vars.__evalStepId = `test-${testIdx}-prompt-${promptIdx}-repeat-0`;
      const testCase = {...test, vars: Object.fromEntries(combo), assert: asserts};
      const result = {testCase, testIdx, promptIdx, prompt: {config: prompt.config}};
      results.push(result);
      if (vars.said !== undefined) vars.said = suite.last ?? '';
      try {
        let text = prompt.function
          ? await prompt.function({vars, provider}) : fill(prompt.raw, vars);
        const own = {...prompt.config, ...test.options};
        if (text.config) Object.assign(own, text.config), text = text.prompt;
        if (typeof text !== 'string') text = JSON.stringify(text);
        const answer = await provider.callApi(text, {vars, prompt: {config: own}, test});
        suite.last = answer.output;
        result.response = answer;
        if (answer.error) { result.error = answer.error; continue; }
        const options = {...suite.defaultTest?.options, ...test.options};
        result.gradingResult = await graded(
          asserts, vars, answer.output, test.threshold, options);
        result.success = result.gradingResult.pass;
      } catch (error) { result.error = error.message; }
    }
    }
  }
  return {results};
};
"""
"""Reads prompts, tests and lists of values, calls the hook and the providers, and judges by a few
assertions, as promptfoo does."""


def install_promptfoo(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make an environment below a folder that has the stand-in."""
    monkeypatch.setenv("LVE_TOOLS", str(folder / "tools"))
    package = TOOL.folder / "node_modules" / "promptfoo"
    package.mkdir(parents=True)
    TOOL.python.parent.mkdir(parents=True)
    TOOL.python.symlink_to(Path(sys.executable).resolve())
    (TOOL.folder / "installed").touch()
    (package / "package.json").write_text(json.dumps({"version": "1.2", "main": "index.js"}))
    (package / "index.js").write_text(EVALUATE)
    references = package.parent / "@apidevtools" / "json-schema-ref-parser"
    references.mkdir(parents=True)
    (references / "index.js").write_text("exports.dereference = async (whole) => whole;")
