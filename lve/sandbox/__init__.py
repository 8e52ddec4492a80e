"""What code of strangers can't do in lve's child processes, whatever it tries.

Checkers and tools that a test brings run in a process that reads Python and the test's folder,
writes into a temporary folder of its own, and has no network. `Sandbox` says what one may do,
`enter` takes everything else away from the process that calls it, for good and for all that it
starts; `layers` says what this machine has to do it with.

Two parts of Linux do it, because they need no rights, no daemon and no set-up, and work in most
containers:

* Landlock (kernel 5.13 and later) decides by folders what may be read, written and executed. Later
  kernels also keep signals and abstract sockets inside.
* seccomp (a filter of system calls) refuses the network and whatever reaches another process or the
  kernel: it knows numbers and no paths, so it can't do what Landlock does.

Namespaces (`unshare`) would hide files and network altogether, but containers and Ubuntu forbid
them to users without rights. What isn't there is said (`missing`), never passed over.
"""
