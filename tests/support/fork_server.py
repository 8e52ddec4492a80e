"""Forks `python -m MODULE ...` and `python -c CODE ...` from a process that has imported all of
lve and pytest, for support/fork_client.py."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TextIO

from fork_workers import client_of, fork_workers
from imported import import_everything

FILES = 3


def serve(address: str, owner: int) -> None:
    """Answer clients while a process lives. Only a process that becomes a command returns."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    owner_ends = os.pidfd_open(owner)
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that keep others
    while owner_ends not in select.select([listener, owner_ends], [], [])[0]:
        client, _ = listener.accept()
        if not os.fork():
            listener.close()
            os.close(owner_ends)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _keep(client)
            return
        client.close()
    shutil.rmtree(Path(address).parent, ignore_errors=True)
    sys.exit()


def _keep(client: socket.socket) -> None:
    """Fork a command, and end with it. The command itself returns.

    Its output stays open until it has ended, also if its client is killed: whoever reads that to
    its end knows then that locks are free.
    """
    header, files, _, _ = socket.recv_fds(client, 8, FILES)
    length = int.from_bytes(header, "big")
    job = client.recv(length, socket.MSG_WAITALL)
    if not length or len(job) < length:  # the client was killed before it had said what to run
        os._exit(0)
    child = os.fork()
    if not child:
        client.close()
        _become(*marshal.loads(job), files)
        return
    ended = os.pidfd_open(child)
    while ended not in (ready := select.select([client, ended], [], [])[0]):
        number = client.recv(1) if ready else b""
        os.kill(child, number[0] if number else signal.SIGKILL)  # the client was killed
        if not number:
            os.waitpid(child, 0)
            os._exit(0)
    _, status = os.waitpid(child, 0)
    client.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(
    arguments: tuple[str, ...],
    folder: str,
    environment: dict[str, str],
    umask: int,
    numbers: list[int],
    files: list[int],
) -> None:
    """Be as a process is that has just been started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (0, 1, 2):
        os.close(number)
    for number, file in zip(numbers, files, strict=True):
        os.dup2(file, number)
        os.close(file)
    _open_streams(numbers)
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(arguments)
    more = environment.get("PYTHONPATH")
    sys.path[:1] = more.split(os.pathsep) if more else ()
    if more:  # never from the folder where one stands
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module("sitecustomize")
    sys.path.insert(0, folder)
    if xdist := sys.modules.get("xdist.plugin"):
        xdist._sys_path[:] = sys.path


def _open_streams(numbers: list[int]) -> None:
    streams: list[Any] = [None, None, None]
    for number in numbers:
        mode, how = ("w" if number else "r"), ("backslashreplace" if number == 2 else "strict")
        lines = 1 if number == 2 else -1
        streams[number] = open(number, mode, lines, "utf-8", how, closefd=False)  # noqa: SIM115
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams


def _run() -> NoReturn:
    """Run what the arguments say as Python does, and end without freeing all that is imported."""
    code: Any = 0
    try:
        _run_module() if sys.argv[0] == "-m" else _run_code()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if not _flushed(sys.stdout):
        code = 120
    _flushed(sys.stderr)
    os._exit(code or 0)


def _flushed(stream: TextIO | None) -> bool:
    with contextlib.suppress(OSError):
        if stream and not stream.closed:
            stream.flush()
        return True
    return False


def _run_module() -> None:
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _run_code() -> None:
    code = sys.argv.pop(1)
    sys.argv[0] = "-c"
    sys.modules["__main__"] = module = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(module))


if __name__ == "__main__":
    gc.disable()  # of what is imported nothing is garbage
    for name in sys.argv[3:]:
        importlib.import_module(name)
    if not sys.argv[3:]:
        import_everything()
    gc.enable()
    gc.freeze()  # or each child would look through everything that is imported here
    command = client_of(sys.argv[1])
    fork_workers(lambda: command)
    serve(sys.argv[1], int(sys.argv[2]))
    _run()
