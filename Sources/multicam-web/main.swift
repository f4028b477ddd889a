import ControlRoom
import Glibc
import System

// The executable that communicates with browsers, started by `multicam studio`. Without a supervisor on its
// standard input, it does nothing.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-web") { ControlRoom.run() })
