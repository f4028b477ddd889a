import Glibc
import Preview
import System

// The window for a monitor. `multicam preview` replaces itself with this program, so that the recorder does
// not link SDL.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-preview") { Preview.run(CommandLine.arguments) })
