import Glibc
package import Media

/// Owner, group and permissions of a device node.
package struct NodePermissions: Sendable, Hashable {
    /// Path of the node.
    package let node: String
    /// The lowest nine bits of the node's mode.
    package let mode: UInt32
    /// User number of the owner.
    package let owner: UInt32
    /// Number of the group.
    package let group: UInt32
    /// Name of the group; its number where it has none.
    package let groupName: String

    /// Makes permissions from known facts.
    package init(node: String, mode: UInt32, owner: UInt32, group: UInt32, groupName: String) {
        self.node = node
        self.mode = mode
        self.owner = owner
        self.group = group
        self.groupName = groupName
    }

    /// Reads a node's permissions; `nil` when there is no such node.
    package init?(of node: String) {
        var facts = stat()
        guard stat(node, &facts) == 0 else { return nil }
        self.init(
            node: node, mode: facts.st_mode & 0o777, owner: facts.st_uid, group: facts.st_gid,
            groupName: UserGroups.name(ofGroup: facts.st_gid))
    }

    /// Explains why a user was not allowed to read and write the node.
    package func obstacle(to user: UserGroups, inContainer isContainer: Bool) -> AccessObstacle {
        let readAndWrite: UInt32 = 0o6
        let permits =
            user.id == 0 || mode & readAndWrite == readAndWrite
            || user.id == owner && mode >> 6 & readAndWrite == readAndWrite
            || user.groups.contains(group) && mode >> 3 & readAndWrite == readAndWrite
        if permits { return isContainer ? .container : .forbidden }
        // User namespaces show groups that they do not map as 65534 (kernel.overflowgid).
        if isContainer, group == 65_534 { return .container }
        if group == 0 || mode >> 3 & readAndWrite != readAndWrite { return .closed }
        return user.groupsAtLogin.contains(group)
            ? .loginNeeded(group: groupName) : .notInGroup(groupName)
    }
}

extension NodePermissions {
    /// Whether this process may open a node. It tries, since access control lists and the rules of containers count as
    /// well.
    package static func allowsOpening(_ node: String) -> Bool {
        let number = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if number >= 0 {
            close(number)
            return true
        }
        return errno != EACCES && errno != EPERM
    }
}
