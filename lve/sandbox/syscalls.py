"""Linux's system calls: their numbers, and those that a sandbox refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from lve.named_tuples import NamedTuple


class Architecture(NamedTuple):
    """What a filter of system calls needs to know about a processor architecture."""

    audit: int
    """The architecture's number in linux/audit.h."""
    numbers: Mapping[str, int]
    """System call -> number."""


LATEST = 469
"""The last system call that was reviewed (Linux 6.17). Later ones are refused as unknown."""

_NUMBERS: Mapping[str, tuple[int, int]] = json.loads(
    Path(__file__).with_name("syscall_numbers.json").read_bytes()
)
"""System call -> its number on x86-64, and on ARM64; -1: it doesn't exist."""

ARCHITECTURES = {
    name: Architecture(
        audit, {call: both[index] for call, both in _NUMBERS.items() if both[index] >= 0}
    )
    for index, (name, audit) in enumerate((("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)))
}
"""`os.uname().machine` -> architecture."""

OTHER_PROCESSES = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"),
    *("kcmp", "pidfd_getfd", "perf_event_open", "migrate_pages", "move_pages"),
    *("setpriority", "ioprio_set", "sched_setattr", "sched_setparam", "sched_setscheduler"),
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
)
"""Calls that reach other processes of the same user."""
GROUP = ("setsid", "setpgid")
"""Calls that leave the process group, which lve kills."""
ATTRIBUTES = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "utimensat", "futimesat", "file_setattr"),
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat"),
    *("removexattr", "lremovexattr", "fremovexattr", "removexattrat"),
    *("inotify_add_watch", "fanotify_init"),
)
"""Calls that change or watch files without opening them for writing, which Landlock doesn't
restrict."""
KERNEL = (
    *("bpf", "keyctl", "add_key", "request_key", "userfaultfd", "uselib", "_sysctl"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "mount_setattr"),
    *("move_mount", "open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick"),
    *("name_to_handle_at", "open_by_handle_at", "lookup_dcookie", "quotactl", "quotactl_fd"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "swapon", "swapoff", "acct", "syslog", "vhangup", "iopl", "ioperm"),
    "modify_ldt",
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("sethostname", "setdomainname"),
)
"""Calls that no checker needs, and through which sandboxes have been escaped."""
NETWORK = ("connect", "bind", "listen", "accept", "accept4")
"""Calls that are refused like `socket`, in case a socket is inherited."""
