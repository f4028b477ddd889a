import Foundation
import Glibc
import Media

/// Who may open a device node, and who has.
enum NodeOwners {
    /// The group of a node, by name; its number where it has none. `nil` when there is no such node.
    static func groupName(of node: String) -> String? {
        var facts = stat()
        guard stat(node, &facts) == 0 else { return nil }
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { memory in
            guard getgrgid_r(facts.st_gid, &entry, memory.baseAddress, memory.count, &found) == 0,
                found != nil,
                let name = entry.gr_name
            else { return String(facts.st_gid) }
            return String(cString: name).printable()
        }
    }

    /// Another program that has the node open, as far as `/proc` tells us: that of another user only to root.
    ///
    /// - Parameters:
    ///   - node: A device node, or a link to one.
    ///   - processes: Where proc(5) is mounted.
    /// - Returns: The program's name, or its process number where that cannot be read; `nil` when none is
    ///   found.
    static func holder(of node: String, processes: String = "/proc") -> String? {
        let target = Paths.resolved(node) ?? node
        for entry in Paths.entries(of: processes) {
            guard let process = Int32(entry), process != getpid() else { continue }
            let directory = "\(processes)/\(entry)"
            let holds = Paths.entries(of: "\(directory)/fd").contains {
                Paths.link("\(directory)/fd/\($0)") == target
            }
            if holds { return Paths.text("\(directory)/comm")?.printable() ?? entry }
        }
        return nil
    }
}
