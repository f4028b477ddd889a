import Glibc
import MulticamSystem
import MulticamVision

// The program `multicam-vision` finds faces and codes in the frames of cameras. The recorder starts this program as a
// separate process, so that the detectors can't affect a recording.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-vision", preparesReserve: false) { Vision.run(CommandLine.arguments) })
