import Glibc
import Publishing
import System

// Live output. The recorder starts this separate program, so that network code can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-live") { Publishing.run(CommandLine.arguments) })
