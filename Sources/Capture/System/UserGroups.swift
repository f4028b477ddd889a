import Glibc
import Media

/// A user and the groups that decide what this process may open.
package struct UserGroups: Sendable, Hashable {
    /// Number of the user.
    package let id: UInt32
    /// Groups of this process, which are those of its login.
    package let groups: Set<UInt32>
    /// Groups that the user's next login will have, by the system's database.
    package let groupsAtLogin: Set<UInt32>

    /// Makes a user from known groups.
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

    /// Name of a group; its number where it has none.
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
            // getgrouplist returns -1 when there are more groups; the first ones are filled in all the same.
            let result = getgrouplist(name, entry.pw_gid, &groups, &count)
            return Set(groups.prefix(result < 0 ? groups.count : Int(count)))
        }
    }
}
