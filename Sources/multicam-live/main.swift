import Glibc
import Publishing

// Live output. The recorder starts this program, so that nothing that talks to a network can hurt a recording.
signal(SIGPIPE, SIG_IGN)
exit(Publishing.run(CommandLine.arguments))
