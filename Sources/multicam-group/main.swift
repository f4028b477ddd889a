import Glibc
import MulticamGroup

// The program `multicam-group` operates several computers as a group. `multicam` starts this program as a
// separate process, so that the recorder contains no network library.
signal(SIGPIPE, SIG_IGN)
exit(Group.run(CommandLine.arguments))
