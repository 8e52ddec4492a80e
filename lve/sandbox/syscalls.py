"""Linux's system calls: their numbers, and those that a sandbox refuses."""

from __future__ import annotations

from collections.abc import Mapping

from lve.named_tuples import NamedTuple


class Architecture(NamedTuple):
    """What a filter of system calls needs to know about a processor architecture."""

    audit: int
    """The architecture's number in linux/audit.h."""
    numbers: Mapping[str, int]
    """System call -> number."""


LATEST = 469
"""The last system call that was reviewed (Linux 6.17). Later ones are refused as unknown."""

# Name: number on x86-64, number on ARM64 (-1: doesn't exist).
_NUMBERS = {
    "_sysctl": (156, -1),
    "accept": (43, 202),
    "accept4": (288, 242),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bind": (49, 200),
    "bpf": (321, 280),
    "chmod": (90, -1),
    "chown": (92, -1),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fcntl": (72, 25),
    "file_setattr": (469, 469),
    "finit_module": (313, 273),
    "fremovexattr": (199, 16),
    "fsconfig": (431, 431),
    "fsetxattr": (190, 7),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "futimesat": (261, -1),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, -1),
    "iopl": (172, -1),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "lchown": (94, -1),
    "listen": (50, 201),
    "lookup_dcookie": (212, 18),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, -1),
    "mkdir": (83, -1),
    "mkdirat": (258, 34),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264),
    "open": (2, -1),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "openat": (257, 56),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "sendto": (44, 206),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpgid": (109, 154),
    "setpriority": (141, 140),
    "setsid": (112, 157),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "truncate": (76, 45),
    "umask": (95, 166),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "uselib": (134, -1),
    "utime": (132, -1),
    "utimensat": (280, 88),
    "utimes": (235, -1),
    "vhangup": (153, 58),
}

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
