import Glibc
package import Media

/// Finds the program that has a device node open.
package enum NodeOwners {
    /// Finds the program that has the node open, as far as `/proc` tells: programs of other users are visible only to
    /// root.
    ///
    /// - Parameters:
    ///   - node: A device node, or a link to one.
    ///   - processes: Where proc(5) is mounted.
    ///   - ignored: Number of a process that is skipped, usually this one.
    /// - Returns: The program with the lowest process number; `nil` when none is found.
    package static func holder(
        of node: String, processes: String = "/proc", besides ignored: Int32? = getpid()
    ) -> DeviceHolder? {
        let target = Paths.resolved(node) ?? node
        let numbers = Paths.entries(of: processes).compactMap { Int32($0) }.sorted()
        for process in numbers where process != ignored {
            let folder = "\(processes)/\(process)"
            let holds = Paths.entries(of: "\(folder)/fd").contains {
                Paths.link("\(folder)/fd/\($0)") == target
            }
            if holds {
                return DeviceHolder(program: Paths.text("\(folder)/comm") ?? "a program", process: process)
            }
        }
        return nil
    }
}
