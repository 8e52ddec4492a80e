"""The process in the sandbox that runs a script of promptfoo: Python itself, JavaScript by node."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

from lve.child.child_side import serve
from lve.escape import head
from lve.json_types import JsonObject, JsonValue

MAX_WHY = 500
_INDENT = re.compile(r"^(?!\s*$)[ \t]+", re.MULTILINE)
RUNNER = """
const {input, nonce} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const {script, form, name, output, context} = input;
const say = said => process.stdout.write(
  '\\n' + nonce + JSON.stringify(said) + '\\n', () => process.exit());
const loaded = () => {
  if (form === 'inline') {
    const body = script.includes('\\n') ? script : `return ${script}`;
    return new Function('output', 'context', 'process', 'require', body);
  }
  const module = {exports: {}};
  new Function('module', 'exports', 'require', script)(module, module.exports, require);
  const made = module.exports;
  return name ? made[name] ?? made.default?.[name] : made.default ?? made;
};
(async () => {
  let result;
  try {
    result = await loaded()(output, context, process, require);
  } catch (error) {
    const isMissing = error?.code === 'MODULE_NOT_FOUND';
    return say({[isMissing ? 'missing' : 'threw']: String(error?.message ?? error)});
  }
  say({result: result === undefined ? null : result});
})();
"""


def main(lifeline: int) -> None:
    """Answer requests: `{}` says that the process is ready, the next one has the script."""
    serve(lifeline, answer)


def answer(request: JsonObject) -> dict[str, JsonValue]:
    """Return `{result}` of a script, or why there is none: `{threw}`, what it raised; `{missing}`,
    a module that isn't there."""
    if "script" not in request:
        return {}
    said = _of_node(request) if request.get("node") else _of_python(request)
    return {key: head(v, MAX_WHY) if key != "result" else v for key, v in said.items()}


def _of_node(request: JsonObject) -> dict[str, Any]:
    nonce = str(request["nonce"])
    done = subprocess.run(
        [str(request["node"]), "--jitless", "-e", RUNNER],
        input=json.dumps({"input": request, "nonce": nonce}),
        capture_output=True,
        text=True,
        check=False,
    )
    for line in reversed(done.stdout.split("\n")):
        if line.startswith(nonce):
            said: dict[str, Any] = json.loads(line.removeprefix(nonce))
            return said
    return {"missing": f"node gave no result: {done.stderr.strip()[-MAX_WHY:]}"}


def _of_python(request: JsonObject) -> dict[str, Any]:
    script = str(request["script"])
    names: dict[str, Any] = {"__name__": "promptfoo_script"}
    try:
        if request["form"] == "inline":
            script = _function(script)
        exec(compile(script, "<script>", "exec", dont_inherit=True), names)
        function = names[str(request["name"] or "get_assert")]
        result = function(request["output"], request["context"])
        return {"result": json.loads(json.dumps(result))}
    except ImportError as error:
        return {"missing": str(error)}
    except BaseException as error:  # also SystemExit: whatever a script does, it is judged
        return {"threw": f"{type(error).__name__}: {error}"}


def _function(script: str) -> str:
    """Return an expression, or lines with a `return`, as the function that promptfoo makes."""
    body, space = f"    return {script}", "    "
    if "\n" in script:
        match = _INDENT.search(script)
        space = match[0] if match else space
        body = "\n".join(f"{space}{line}" for line in script.split("\n"))
    return f"import json\ndef get_assert(output, context):\n{body}\n"
