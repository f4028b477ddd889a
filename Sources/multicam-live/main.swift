import Glibc
import MulticamPublishing
import MulticamSystem

// The program `multicam-live` sends live outputs. The recorder starts this program as a separate process, so
// that network code can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-live") { Publishing.run(CommandLine.arguments) })
