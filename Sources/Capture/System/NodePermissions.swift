import Glibc
package import MulticamMedia

/// Owner, group and permissions of a device node.
package struct NodePermissions: Sendable, Hashable {
    /// Path of the node.
    package let node: String
    /// The lowest nine bits of the node's mode.
    package let mode: UInt32
    /// User ID of the owner.
    package let owner: UInt32
    /// Group ID of the node.
    package let group: UInt32
    /// Group name of the node, or its group ID if the name is unknown.
    package let groupName: String

    /// Creates permissions from known values.
    package init(node: String, mode: UInt32, owner: UInt32, group: UInt32, groupName: String) {
        self.node = node
        self.mode = mode
        self.owner = owner
        self.group = group
        self.groupName = groupName
    }

    /// Reads a node's permissions; returns `nil` if the node doesn't exist.
    package init?(of node: String) {
        var facts = stat()
        guard stat(node, &facts) == 0 else { return nil }
        self.init(
            node: node, mode: facts.st_mode & 0o777, owner: facts.st_uid, group: facts.st_gid,
            groupName: UserGroups.name(ofGroup: facts.st_gid))
    }

    /// Returns the reason why a user can't read and write the node.
    package func obstacle(to user: UserGroups, inContainer isContainer: Bool) -> AccessObstacle {
        let readAndWrite: UInt32 = 0o6
        let permits =
            user.id == 0 || mode & readAndWrite == readAndWrite
            || user.id == owner && mode >> 6 & readAndWrite == readAndWrite
            || user.groups.contains(group) && mode >> 3 & readAndWrite == readAndWrite
        if permits { return isContainer ? .container : .forbidden }
        // User namespaces show unmapped groups as 65534 (kernel.overflowgid).
        if isContainer, group == 65_534 { return .container }
        if group == 0 || mode >> 3 & readAndWrite != readAndWrite { return .rootOnly }
        return user.groupsAtLogin.contains(group)
            ? .loginNeeded(group: groupName) : .notInGroup(groupName)
    }
}

extension NodePermissions {
    /// Returns whether this process can open a node. Tries to open the node, because access control lists and container
    /// rules also apply.
    package static func allowsOpening(_ node: String) -> Bool {
        let number = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if number >= 0 {
            close(number)
            return true
        }
        return errno != EACCES && errno != EPERM
    }
}

/// A user and the groups that determine which nodes this process can open.
package struct UserGroups: Sendable, Hashable {
    /// User ID of the user.
    package let id: UInt32
    /// Groups of this process, set at login.
    package let groups: Set<UInt32>
    /// Groups that the user will have after the next login, from the system's user database.
    package let groupsAtLogin: Set<UInt32>

    /// Creates a user from known groups.
    package init(id: UInt32, groups: Set<UInt32>, groupsAtLogin: Set<UInt32>) {
        self.id = id
        self.groups = groups
        self.groupsAtLogin = groupsAtLogin
    }

    /// User and groups of this process.
    package static var current: UserGroups {
        var own = [gid_t](repeating: 0, count: max(Int(getgroups(0, nil)), 0))
        let count = getgroups(Int32(own.count), &own)
        return UserGroups(
            id: geteuid(), groups: Set(own.prefix(Int(max(count, 0)))).union([getegid()]),
            groupsAtLogin: atLogin(geteuid()))
    }

    /// Returns the name of a group, or its ID if the name is unknown.
    package static func name(ofGroup number: UInt32) -> String {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { memory in
            guard getgrgid_r(number, &entry, memory.baseAddress, memory.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else { return String(number) }
            return String(cString: name).printable()
        }
    }

    private static func atLogin(_ id: uid_t) -> Set<UInt32> {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { memory in
            guard let start = memory.baseAddress,
                getpwuid_r(id, &entry, start, memory.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return [] }
            var groups = [gid_t](repeating: 0, count: 1024)
            var count = Int32(groups.count)
            // If the user has more groups than fit into the array, getgrouplist returns -1, but still fills
            // in the first groups.
            let result = getgrouplist(name, entry.pw_gid, &groups, &count)
            return Set(groups.prefix(result < 0 ? groups.count : Int(count)))
        }
    }
}

/// Finds the program that has a device node open.
package enum NodeOwners {
    /// Finds the program that has the node open, using `/proc`. Programs of other users are visible only to root.
    ///
    /// - Parameters:
    ///   - node: A device node, or a link to one.
    ///   - processes: Mount point of proc(5).
    ///   - ignored: ID of a process to skip, usually the current process.
    /// - Returns: The program with the lowest process ID; `nil` if none is found.
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

/// Detects whether the process runs in a container. The host determines which devices a container can access.
package enum Container {
    /// Checks for the marker files of Docker, Podman and systemd-nspawn.
    ///
    /// - Parameter root: Path prefix of the file system, for tests.
    /// - Returns: `false` if no marker is found.
    package static func isDetected(root: String = "") -> Bool {
        ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains { Paths.exists(root + $0) }
    }
}
