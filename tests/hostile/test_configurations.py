"""Configurations that want to run, to read, or never to end: each is left out, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.importing.opencompass import read_configs

DOUBLED = "\n".join(f"a{n} = [a{n - 1}, a{n - 1}]" for n in range(1, 40))
CASES = {
    "a loop over a huge range": "for n in range(10**12): x = n\n",
    "a loop over what it adds to": "a = [1]\nfor x in a: a.append(x)\n",
    "a list of a huge range": "x = list(range(10**15))\n",
    "loops in loops": "x = [1 for a in range(9**9) for b in range(9**9)]\n",
    "a sum without an end": "x = sum(range(10**18))\n",
    "endless recursion": "def f(n): return f(n + 1)\nx = f(0)\n",
    "recursion of two": "def f(n): return g(n)\ndef g(n): return f(n)\nx = f(0)\n",
    "wide recursion": "def f(n): return [f(n - 1), f(n - 1)] if n else 0\nx = f(100)\n",
    "an import of itself": "from .own import x\n",
    "a huge text": "x = 'a' * 10**12\n",
    "a text that doubles": "x = 'a'\nfor n in range(99): x = x + x\n",
    "a text that is replaced": "x = 'a' * 10**7\ny = x.replace('a', x)\n",
    "a wide format": "x = f'{1:>999999999}'\n",
    "a wide format of %": "x = '%999999999d' % 1\n",
    "a wide format of a star": "x = '%*d' % (999999999, 1)\n",
    "a wide field": "x = '{:>999999999}'.format(1)\n",
    "a nested width": "x = '{:>{}}'.format(1, 999999999)\n",
    "a padded text": "x = 'a'.ljust(10**12)\n",
    "a huge list": "x = [1] * 10**12\n",
    "a list that doubles": "x = [1]\nfor n in range(99): x += x\n",
    "a huge number": "x = 9 ** 9 ** 9\n",
    "a number that grows": "x = 9\nfor n in range(99): x = x * x\n",
    "a huge shift": "x = 1 << 10**12\n",
    "doubled lists as a data set": f"a0 = [1]\n{DOUBLED}\nx_datasets = [dict(infer_cfg=a39)]\n",
    "doubled lists as a text": f"a0 = [1]\n{DOUBLED}\nx = str(a39)\n",
    "doubled lists that are compared": f"a0 = [1]\n{DOUBLED}\nb = a38 == [a37, a37]\n",
    "a doubled tuple as a key": "a = ()\nfor n in range(60): a = (a, a)\nx = {a: 1}\n",
    "a list in itself": "a = []\na.append(a)\nx_datasets = [dict(infer_cfg=a)]\n",
    "an import": "x = __import__('os').system('touch trapped')\n",
    "an import as a call": "import os\nx = os.system('touch trapped')\n",
    "a way through attributes": "x = ().__class__.__base__.__subclasses__()\n",
    "a way through a format": "x = '{0.__class__}'.format(1)\n",
    "eval": 'x = eval(\'__import__("os").system("touch trapped")\')\n',
    "exec": "exec('x = 1')\n",
    "getattr": "x = getattr('', 'join')\n",
    "a file outside": "x = open('/etc/passwd').read()\n",
    "a file above": "x = open(__file__ + '/../../outside.txt').read()\n",
    "a link that leads out": "x = open(__file__[:-len('own.py')] + 'out').read()\n",
    "a file to write": "x = open('trapped', 'w')\n",
    "a module above": "from ...outside import x\n",
    "another's __file__": "__file__ = '/etc/x'\nfrom .passwd import x\n",
    "deep parentheses": f"x = {'(' * 3000}1{')' * 3000}\n",
    "deep lists": f"x = {'[' * 3000}{']' * 3000}\n",
    "a long sum": f"x = {'+'.join('1' * 50_000)}\n",
    "many signs": f"x = {'-' * 5_000}1\n",
    "ten megabytes": f"x = '{'a' * 10_000_000}'\n",
    "a null byte": "x = 1\0\n",
    "half of a character": "x_datasets = [dict(infer_cfg='\\ud800')]\nraise ValueError\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_it_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    folder = tmp_path / "configs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "outside.txt")
    (folder / "own.py").write_text(text)
    imported = read_configs(folder / "own.py")
    assert imported.tests == []
    [sentence] = imported.left_out
    assert "own.py:" in sentence
    assert ": warning: left out: " in sentence
    assert "secret" not in sentence
    assert len(sentence) < 500
    assert not (folder / "trapped").exists()
