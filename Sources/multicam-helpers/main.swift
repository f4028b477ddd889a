import ControlRoom
import Glibc
import Group
import Preview
import Processes
import Publishing
import RemoteSources

// The processes beside the recorder in one file, for packages: what they share, Swift's runtime first of all, is installed once. Each
// is started by its own name, a link to this file, and is a process of its own as in a build, where each is a program of its own.
signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
let name = arguments.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
switch name {
case "multicam-web": exit(ControlRoom.run())
case "multicam-preview": exit(Preview.run(arguments))
case "multicam-live": exit(Publishing.run(arguments))
case "multicam-sources": exit(RemoteSources.run(arguments))
case "multicam-group": exit(Group.run(arguments))
default:
    _ = StandardStreams.write(
        "multicam-helpers: multicam starts this program by the names of its processes, such as multicam-web.\n",
        to: STDERR_FILENO)
    exit(2)
}
