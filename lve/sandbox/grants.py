"""Lists the files that a sandboxed process may access: those that Python needs on Linux, and those
that its `Sandbox` allows.

Links in `site-packages` lead to packages elsewhere: uv with `link-mode: symlink`, pex and Bazel
unpack each package into a folder of their own and link its files, or all of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from lve.sandbox.landlock import READ, READ_DIR, RUN, WRITE, WRITE_FILE, Grant
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


PACKAGES = ("site-packages", "dist-packages")
METADATA_ENDINGS = (".dist-info", ".egg-info")
MAX_NAMES = 20_000
"""Maximum number of a folder's entries that are read."""
MAX_DEPTH = 30


def linked_packages(site: str) -> Iterator[str]:
    """Yield the files, packages and folders of metadata that links in a folder of packages lead to.
    Nothing wider: of a folder that isn't one of packages, only a linked file itself, or a linked
    package. A package whose first file is no link isn't searched.

    Args:
        site: the folder, without a link in its path.
    """
    covered = [site + os.sep]
    for link, text in _links(site, MAX_DEPTH) if _is_linked(site) else ():
        if os.pardir in text or not text.startswith(tuple(covered)):
            real = os.path.realpath(link)
            if not real.startswith(tuple(covered)) and (place := _place(link[len(site) :], real)):
                covered.append(place + os.sep)
                yield place


def _is_linked(site: str) -> bool:
    """Return whether a package, or the metadata of one, is linked. Few folders have any, so the
    others aren't searched."""
    with suppress(OSError), os.scandir(site) as entries:
        return any(
            entry.is_symlink()
            or (entry.name.endswith(".dist-info") and _may_have_links(entry.path))
            for _, entry in zip(range(MAX_NAMES), entries, strict=False)
        )
    return False


def _links(folder: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the links in a folder and the folders below it, each with its text."""
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MAX_NAMES), entries, strict=False):
            if entry.is_symlink():
                yield entry.path, os.readlink(entry.path)  # noqa: PTH115
            elif depth and entry.is_dir() and _may_have_links(entry.path):
                yield from _links(entry.path, depth - 1)


def _may_have_links(folder: str) -> bool:
    first = "METADATA" if folder.endswith(METADATA_ENDINGS) else "__init__.py"
    file = os.path.join(folder, first)  # noqa: PTH118
    return os.path.islink(file) or not os.path.exists(file)  # noqa: PTH110, PTH114


def _place(link: str, real: str) -> str | None:
    """Return what may be read because of a link.

    Args:
        link: its path below the folder of packages, such as `/pkg/part/file.py`.
        real: where it leads to.
    """
    top = link[1:].partition(os.sep)[0]
    home = real[: -len(link)]
    if real.endswith(link) and _is_of_packages(home):
        return os.path.join(home, top)  # noqa: PTH118
    is_package = link == os.sep + top and os.path.isfile(real + "/__init__.py")  # noqa: PTH113
    has_its_name = os.path.basename(link) == os.path.basename(real)  # noqa: PTH119
    return real if has_its_name and (is_package or os.path.isfile(real)) else None  # noqa: PTH113


def _is_of_packages(folder: str) -> bool:
    """Return whether a folder holds nothing but packages, as `site-packages` and an unpacked
    package do."""
    if os.path.basename(folder) in PACKAGES:  # noqa: PTH119
        return True
    with suppress(OSError), os.scandir(folder) as entries:
        names = (entry.name for _, entry in zip(range(MAX_NAMES), entries, strict=False))
        return any(name.endswith(METADATA_ENDINGS) for name in names)
    return False
