import Glibc
import RemoteSources
import System

// Network cameras. The recorder starts this separate program, so that network code can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-sources") { RemoteSources.run(CommandLine.arguments) })
