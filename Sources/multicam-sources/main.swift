import Glibc
import RemoteSources
import System

// This program connects to network cameras. The recorder starts this program as a separate process, so that network
// code can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-sources") { RemoteSources.run(CommandLine.arguments) })
