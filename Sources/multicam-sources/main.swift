import Glibc
import MulticamRemoteSources
import MulticamSystem

// This program connects to network cameras. The recorder runs it as a separate process, so that failures in
// network code can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-sources") { RemoteSources.run(CommandLine.arguments) })
