internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// The folder with a group's settings, certificates, and keys on this computer. Only the owner of the folder
/// can read it.
struct GroupFolder: Sendable {
    /// The group's name.
    let group: String
    /// The folder's path.
    let path: String

    /// Determines the location of a group's folder, which need not exist.
    ///
    /// - Parameters:
    ///   - group: The group's name.
    ///   - environment: Environment variables; `XDG_CONFIG_HOME` and `HOME` determine the location.
    /// - Throws: `GroupError` if the name is invalid or the location is unknown.
    init(
        _ group: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GroupError) {
        guard GroupName.isValid(group) else {
            throw GroupError(
                "`\(group.printable(limit: 60))` is not a valid group name: expected \(GroupName.rule).",
                status: 2)
        }
        self.group = group
        path = try Self.parent(environment) + "/" + group
    }

    private static func parent(_ environment: [String: String]) throws(GroupError) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/multicam/groups"
        }
        if let folder = environment["HOME"], folder.hasPrefix("/") {
            return folder + "/.config/multicam/groups"
        }
        throw GroupError("neither XDG_CONFIG_HOME nor HOME is set. Set one of them.")
    }

    /// Returns the folder of this computer's only group.
    ///
    /// - Throws: `GroupError` if this computer isn't in exactly one group.
    static func only(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GroupError) -> GroupFolder {
        let names = FolderListing.names(in: try parent(environment)).filter { GroupName.isValid($0) }
        guard let name = names.first else {
            throw GroupError(
                "this computer is not in a group. Create a group with `multicam group init NAME`, or join one with `multicam node join CODE`."
            )
        }
        guard names.count == 1 else {
            throw GroupError(
                "this computer is in several groups: \(names.joined(separator: ", ")). Choose one with `--group NAME`.",
                status: 2)
        }
        return try GroupFolder(name, environment: environment)
    }

    /// Returns the path of a file in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Whether the folder contains a file.
    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// Creates the group's folder or one of its subfolders. Only this user can access the new folder.
    ///
    /// - Throws: `GroupError` if the folder can't be created.
    func make(_ name: String = "") throws(GroupError) {
        let folder = name.isEmpty ? path : file(name)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GroupError(
                "\(folder.printable()) cannot be created. Check its permissions and the free disk space.")
        }
    }

    /// Replaces a file in the folder. Only this user can read the new file.
    ///
    /// - Throws: `GroupError` if the file can't be written.
    func write(_ text: String, to name: String) throws(GroupError) {
        do throws(FileError) {
            try FileReplacement.write(Array(text.utf8), to: file(name), permissions: 0o600, syncsFolder: true)
        } catch {
            throw GroupError("\(error)")
        }
    }

    /// Reads a file from the folder. The file may be at most 1 MiB long.
    ///
    /// - Throws: `GroupError` if the file can't be read.
    func read(_ name: String) throws(GroupError) -> [UInt8] {
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file(name)))
            return Array(bytes.prefix(1 << 20))
        } catch {
            throw GroupError(
                "\(file(name).printable()) cannot be read. If this computer is not in the group \(group), join it with `multicam node join CODE`."
            )
        }
    }

    /// Decodes a JSON file in the folder.
    ///
    /// - Throws: `GroupError` if the file can't be read or has invalid content.
    func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws(GroupError) -> Value {
        let bytes = try read(name)
        do {
            return try JSONText.decoder().decode(type, from: Data(bytes))
        } catch {
            throw GroupError(
                "\(file(name).printable()) is damaged. Restore it, or join the group again."
            )
        }
    }

    /// Writes a value to a JSON file in the folder.
    ///
    /// - Throws: `GroupError` if the file can't be written.
    func encode(_ value: some Encodable, to name: String) throws(GroupError) {
        try write(String(decoding: JSONText.pretty(value), as: UTF8.self) + "\n", to: name)
    }

    /// Locks a file in the folder for the lifetime of the returned object. The lock is also released if this
    /// process dies. If another process holds the lock, this method waits a few seconds, because that process
    /// may be about to end.
    ///
    /// - Parameters:
    ///   - name: Name of the file to lock.
    ///   - sentence: Error message if another process holds the lock.
    /// - Returns: The lock.
    /// - Throws: `GroupError` if another process holds the lock or the file can't be created.
    func lock(_ name: String, orThrow sentence: String) throws(GroupError) -> GroupFileLock {
        guard let lock = GroupFileLock(file(name)) else {
            throw GroupError(
                "\(file(name).printable()) cannot be created. Check its permissions and the free disk space.")
        }
        let clock = MonotonicClock()
        let deadline = clock.now + .seconds(5)
        while !lock.isAcquired {
            guard clock.now < deadline else { throw GroupError(sentence) }
            clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
        }
        return lock
    }

    // MARK: Contents

    static let settingsName = "group.json"
    static let membersName = "members.json"
    static let authority = (certificate: "authority.pem", key: "authority-key.pem")
    static let broker = (certificate: "broker.pem", key: "broker-key.pem")
    /// Certificate and key files that the computer that created the group uses to serve the group.
    static let serving = (certificate: "serving.pem", key: "serving-key.pem")
    /// Certificate and key files of a node.
    static let node = (certificate: "node.pem", key: "node-key.pem")
    static let collectKey = "collect-key"
    static let invitations = "invitations"

    /// Reads the group's settings.
    ///
    /// - Throws: `GroupError` if this computer isn't in the group.
    func settings() throws(GroupError) -> GroupSettings {
        try decode(GroupSettings.self, from: Self.settingsName)
    }

    /// Reads the list of members; empty on computers that have only joined the group.
    ///
    /// - Throws: `GroupError` if the list can't be read.
    func members() throws(GroupError) -> [GroupMember] {
        has(Self.membersName) ? try decode([GroupMember].self, from: Self.membersName) : []
    }

    /// Returns this computer's name on the broker and the paths of its certificate files. If this computer is
    /// a node, the result is the node's identity; otherwise, it is the identity of the computer that serves
    /// the group.
    ///
    /// - Throws: `GroupError` if this computer doesn't have a certificate.
    func identity() throws(GroupError) -> (name: String, certificate: String, key: String) {
        let settings = try settings()
        if let node = settings.node { return (node, file(Self.node.certificate), file(Self.node.key)) }
        return try servingIdentity()
    }

    /// Returns the identity that this computer uses to start and stop recordings. The result is the identity
    /// of the computer that serves the group, or of a node that was invited as a coordinator.
    ///
    /// - Throws: `GroupError` if this computer isn't allowed to start and stop recordings.
    func coordinatingIdentity() throws(GroupError) -> (name: String, certificate: String, key: String) {
        if has(Self.serving.certificate) { return try servingIdentity() }
        guard try settings().isCoordinator == true else {
            throw GroupError(
                "this computer cannot start or control recordings of the group \(group), because it joined as a node. Run the command on the computer that created the group, or join again with a code from `multicam group invite --coordinator`.",
                status: 4)
        }
        return try identity()
    }

    /// Returns the identity of the computer that created the group.
    ///
    /// - Throws: `GroupError` if another computer created the group.
    func servingIdentity() throws(GroupError) -> (name: String, certificate: String, key: String) {
        guard has(Self.serving.certificate) else {
            throw GroupError("the group \(group) was created on another computer. Run the command there.")
        }
        return ("serving", file(Self.serving.certificate), file(Self.serving.key))
    }

    /// Checks this computer's certificate. The check is needed because a broker rejects invalid certificates
    /// without giving a reason.
    ///
    /// - Throws: `GroupError` if the certificate has expired, or was issued by another group's authority.
    func checkCertificate(_ path: String) throws(GroupError) {
        let authority = try Certificate(try read(Self.authority.certificate))
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let own = try Certificate(try read(name))
        guard own.secondsLeft > 0 else {
            throw GroupError(
                "this computer's certificate for the group \(group) has expired. To create a new one, run `multicam group invite` on the computer that created the group and `multicam node join CODE` here."
            )
        }
        guard own.isIssued(by: authority) else {
            throw GroupError(
                "this computer's certificate does not belong to the group \(group), or is not valid yet. Check the date on this computer, or join the group again."
            )
        }
    }
}

/// A computer's settings for a group, stored as `group.json` in the group's folder.
struct GroupSettings: Codable, Sendable, Equatable {
    private enum CodingKeys: String, CodingKey {
        case name, address, port, node
        case isCoordinator = "coordinator"
        case output, server
    }

    /// The group's name.
    var name: String
    /// Address of the computer that serves the group: an IP address or a host name.
    var address: String
    /// The broker's port. The pairing service uses this port plus 1, and the time service uses this port plus
    /// 2.
    var port: Int
    /// This computer's name in the group; `nil` until the computer has joined.
    var node: String?
    /// Whether the broker allows this computer to start and stop the group's recordings; `nil` until the
    /// computer has joined.
    var isCoordinator: Bool?
    /// Absolute path of this computer's recordings folder; `nil` until the computer has joined.
    var output: String?
    /// Address of an external broker; `nil` for the group's own broker.
    var server: String?

    /// The broker's address.
    var broker: String { server ?? "tls://\(GroupAddress.text(address, port))" }
    /// Port of the pairing service.
    var pairingPort: Int { port + 1 }
    /// Port of the time service.
    var timePort: Int { port + 2 }
}

/// A computer that has joined a group, as recorded on the computer that created the group.
struct GroupMember: Codable, Sendable, Equatable {
    private enum CodingKeys: String, CodingKey {
        case name, identity
        case isCoordinator = "coordinator"
        case address, user
        case sshPort = "ssh_port"
        case hostKeys = "host_keys"
    }

    /// Name of the member.
    var name: String
    /// Identity in the member's current certificate: 16 random hexadecimal digits. The identity changes each time a
    /// computer joins, so that earlier certificates with the same name remain invalid.
    var identity: String
    /// Whether the member may start and stop the group's recordings.
    var isCoordinator: Bool
    /// The member's address at the time of joining.
    var address: String
    /// Name of the user who records on that computer.
    var user: String
    /// Port of the member's SSH server.
    var sshPort: Int
    /// Public keys of the member's SSH server, in the format of the key files.
    var hostKeys: [String]
}

/// A lock on a file. The kernel releases the lock when the last reference is released or the process ends.
final class GroupFileLock: Sendable {
    private let descriptor: OwnedDescriptor

    /// Opens or creates the file without locking it.
    ///
    /// - Parameter path: Path of the file.
    init?(_ path: String) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { return nil }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// Whether this process holds the lock. Reading this property acquires the lock if it is free.
    var isAcquired: Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Releases the file lock.
    func release() { flock(descriptor.number, LOCK_UN) }
}
