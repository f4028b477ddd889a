import Glibc
import Preview

// The window for a monitor. `multicam preview` becomes this program, so that the recorder does not link SDL.
signal(SIGPIPE, SIG_IGN)
exit(Preview.run(CommandLine.arguments))
