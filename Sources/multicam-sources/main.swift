import Glibc
import RemoteSources

// Network cameras. The recorder starts this program, so that nothing that talks to a network can hurt a recording.
signal(SIGPIPE, SIG_IGN)
exit(RemoteSources.run(CommandLine.arguments))
