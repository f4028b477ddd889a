import Glibc
import MulticamControlRoom
import MulticamGroup
import MulticamPreview
import MulticamPublishing
import MulticamRemoteSources
import MulticamSystem
import MulticamVision

// Combines all helper processes in one executable for packages, so that shared code, mainly Swift's runtime,
// is installed once. Each process is started through a symbolic link with its name. In a development build,
// each helper is a separate executable.
signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
let name = arguments.first?.split(separator: "/").last.map(String.init) ?? ""
switch name {
case "multicam-web": exit(ProcessPreparation.run(name, preparesReserve: false) { ControlRoom.run() })
case "multicam-preview": exit(ProcessPreparation.run(name) { Preview.run(arguments) })
case "multicam-live": exit(ProcessPreparation.run(name) { Publishing.run(arguments) })
case "multicam-sources": exit(ProcessPreparation.run(name) { RemoteSources.run(arguments) })
case "multicam-vision": exit(ProcessPreparation.run(name, preparesReserve: false) { Vision.run(arguments) })
case "multicam-group": exit(Group.run(arguments))
default:
    _ = StandardStreams.write(
        "multicam-helpers: don't start this program directly. multicam starts it under the names of its processes, such as multicam-web.\n",
        to: STDERR_FILENO)
    exit(2)
}
