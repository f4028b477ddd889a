import Glibc
import MulticamControlRoom
import MulticamSystem

// `multicam studio` starts this program, which communicates with browsers. If no supervisor is connected to
// its standard input, the program does nothing.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-web", preparesReserve: false) { ControlRoom.run() })
