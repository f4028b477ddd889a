import Glibc
import MulticamPreview
import MulticamSystem

// This program shows the preview window. `multicam preview` replaces itself with this program, so that the recorder
// does not link SDL.
signal(SIGPIPE, SIG_IGN)
exit(ProcessPreparation.run("multicam-preview") { Preview.run(CommandLine.arguments) })
