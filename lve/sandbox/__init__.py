"""Sandboxes child processes that run untrusted code: checkers and tools of tests.

Such a process can read Python and the test's folder, write into its own temporary folder, and has
no network. `Sandbox` describes what a process may do. `enter` permanently denies everything else to
the calling process and its children. `layers` lists the mechanisms that this machine has.

Two features of Linux are used, because they need no privileges, daemon or set-up, and work in most
containers:

* Landlock (kernel 5.13 and later) restricts which paths may be read, written and executed. Later
  kernels also restrict signals and abstract sockets.
* seccomp, a filter of system calls, refuses the network and whatever reaches other processes or the
  kernel. It sees numbers, not paths, so it can't replace Landlock.

Namespaces (`unshare`) would hide files and network altogether, but containers and Ubuntu deny them
to unprivileged users. Missing layers are reported (`missing`), never ignored.
"""
