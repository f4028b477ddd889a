import ControlRoom
import Glibc
import System

// This program communicates with browsers and is started by `multicam studio`. Without a supervisor on its standard
// input, the program does nothing.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-web") { ControlRoom.run() })
