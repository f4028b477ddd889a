import Glibc
import Group

// Operates several machines as one. `multicam` starts this separate program, so that the recorder contains no
// network library.
signal(SIGPIPE, SIG_IGN)
exit(Group.run(CommandLine.arguments))
