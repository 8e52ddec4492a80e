"""Lists the files that a sandboxed process may access: those that Python needs on Linux, and those
that its `Sandbox` allows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from lve.sandbox.landlock import READ, READ_DIR, RUN, WRITE, WRITE_FILE, Grant
from lve.sandbox.linked_packages import (
    MAX_NAMES,
    METADATA_ENDINGS,
    PACKAGES,
    linked_packages,
)
from lve.sandbox.rights import Sandbox

PROGRAMS = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin"),
    *("/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"),
)
SYSTEM = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload"),
    *("/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path"),
    *("/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/mime.types"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/os-release", "/etc/alternatives"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem"),
    *("/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates"),
    *("/etc/crypto-policies",),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg"),
    *("/proc/version", "/proc/filesystems", "/proc/sys/vm/overcommit_memory"),
    *("/proc/sys/kernel/osrelease", "/proc/sys/kernel/ngroups_max"),
    *("/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)
NETWORK = (
    *("/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols"),
    "/etc/resolv.conf",
)
PARTS_OF_PREFIX = ("bin", "lib", "lib64", "include", "share", "pyvenv.cfg")
MODULE_ENDINGS = (".py", ".pyc", ".so", ".pth")


def grants(sandbox: Sandbox, temporary: str | None) -> Iterator[Grant]:
    """Yield the files and folders that a process may access.

    Args:
        sandbox: what the process may do in addition to the defaults.
        temporary: its temporary folder, if it has one.
    """
    yield from _python(sandbox.private)
    yield from (Grant(path, RUN) for path in PROGRAMS)
    yield from (Grant(path, READ) for path in SYSTEM)
    yield Grant("/dev/null", READ | WRITE_FILE)
    if temporary is not None:
        yield Grant(temporary, WRITE)
    if sandbox.network:
        yield from (Grant(path, READ) for path in NETWORK)
    if sandbox.folder is not None:
        yield from _visible_entries(sandbox.folder)
    yield from (Grant(path, RUN) for path in sandbox.read)
    yield from (Grant(path, WRITE) for path in sandbox.write)


def _python(private: Sequence[str]) -> Iterator[Grant]:
    """Yield what Python and its packages need, without any folder that contains a private one."""
    protected = [os.path.realpath(path) for path in (os.path.expanduser("~"), os.curdir, *private)]  # noqa: PTH111
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    whole = [
        path
        for path in map(os.path.realpath, sorted(prefixes))
        if not _contains_any(path, protected)
    ]
    yield from (Grant(path, RUN) for path in whole)
    for prefix in prefixes:
        if os.path.realpath(prefix) not in whole:
            yield from (Grant(os.path.join(prefix, name), RUN) for name in PARTS_OF_PREFIX)  # noqa: PTH118
    for path in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if path and not _contains_any(os.path.realpath(path), protected):
            yield Grant(path, RUN)
    for path in dict.fromkeys(sys.path):
        real = os.path.realpath(path or os.curdir)
        if os.path.basename(real) in PACKAGES:  # noqa: PTH119
            linked = linked_packages(real)
            yield from (
                Grant(place, RUN) for place in linked if not _contains_any(place, protected)
            )
        if not any(
            real == prefix_folder or real.startswith(prefix_folder + os.sep)
            for prefix_folder in whole
        ):
            yield from _importable(real, protected)


def _contains_any(folder: str, protected: Iterable[str]) -> bool:
    """Return whether a folder is one of `protected` or contains one."""
    return any(
        private_path == folder or private_path.startswith(folder.rstrip(os.sep) + os.sep)
        for private_path in protected
    )


def _importable(folder: str, protected: Sequence[str]) -> Iterator[Grant]:
    """Yield what Python may import from a folder of `sys.path`: all of it if it holds only packages
    (`site-packages`), otherwise (a project) only its modules and packages."""
    if os.path.basename(folder) in PACKAGES or os.path.isfile(folder):  # noqa: PTH113, PTH119
        yield Grant(folder, RUN)
        return
    if _contains_any(folder, protected[:1]):  # the home folder isn't a project
        return
    yield Grant(folder, READ_DIR)
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MAX_NAMES), entries, strict=False):
            if _is_importable(entry):
                yield Grant(entry.path, RUN)


def _is_importable(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    if name.startswith("."):
        return False
    if name.endswith((*MODULE_ENDINGS, *METADATA_ENDINGS)):
        return True
    return "." not in name and os.path.isfile(os.path.join(entry.path, "__init__.py"))  # noqa: PTH113, PTH118


def _visible_entries(folder: str) -> Iterator[Grant]:
    """Yield the entries of a folder, except hidden ones (`.env`, `.git`, `.lve`) and links, which
    may lead anywhere."""
    yield Grant(folder, READ_DIR)
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MAX_NAMES), entries, strict=False):
            if not (entry.name.startswith(".") or entry.is_symlink()):
                yield Grant(entry.path, RUN)
