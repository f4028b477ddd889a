import ControlRoom
import Glibc

// The executable that talks to browsers. `multicam studio` starts it; without a supervisor at its standard input it does nothing.
signal(SIGPIPE, SIG_IGN)
exit(ControlRoom.run())
