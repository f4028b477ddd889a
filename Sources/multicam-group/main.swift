import Glibc
import Group

// This program operates several computers as one. `multicam` starts this program as a separate process, so that the
// recorder contains no network library.
signal(SIGPIPE, SIG_IGN)
exit(Group.run(CommandLine.arguments))
