import Glibc
import Group

// Several machines as one. `multicam` starts this program, so that no network library is in the recorder.
signal(SIGPIPE, SIG_IGN)
exit(Group.run(CommandLine.arguments))
