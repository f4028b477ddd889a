internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// The folder in which a computer keeps a group: its settings, certificates and keys. Only its user may read it.
struct GroupFolder: Sendable {
    /// The group's name.
    let group: String
    /// The folder's path.
    let path: String

    /// A group's folder, whether it is there or not.
    ///
    /// - Parameters:
    ///   - group: The group's name.
    ///   - environment: `XDG_CONFIG_HOME` and `HOME` say where.
    /// - Throws: `GroupError` when the name is none, or no folder is known.
    init(
        _ group: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GroupError) {
        guard GroupName.isValid(group) else {
            throw GroupError(
                "`\(group.printable(limit: 60))` is no name of a group: expected \(GroupName.rule).",
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
        throw GroupError("neither XDG_CONFIG_HOME nor HOME names a folder for groups. Set one of them.")
    }

    /// The only group that this computer knows.
    ///
    /// - Throws: `GroupError` when there is none, or are several.
    static func only(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GroupError) -> GroupFolder {
        let names = FolderListing.names(in: try parent(environment)).filter { GroupName.isValid($0) }
        guard let name = names.first else {
            throw GroupError(
                "this computer is in no group: `multicam group init NAME` makes one, `multicam node join CODE` joins one."
            )
        }
        guard names.count == 1 else {
            throw GroupError(
                "this computer is in several groups, \(names.joined(separator: ", ")): say which with `--group NAME`.",
                status: 2)
        }
        return try GroupFolder(name, environment: environment)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Whether a file is there.
    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// Makes a folder in it, or itself, for this user alone.
    ///
    /// - Throws: `GroupError` when that cannot be made.
    func make(_ name: String = "") throws(GroupError) {
        let folder = name.isEmpty ? path : file(name)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GroupError("\(folder.printable()) cannot be made. Ask for permission there, or make room.")
        }
    }

    /// Replaces a file, readable by this user alone.
    ///
    /// - Throws: `GroupError` when it cannot be written.
    func write(_ text: String, to name: String) throws(GroupError) {
        do throws(FileError) {
            try FileReplacement.write(Array(text.utf8), to: file(name), permissions: 0o600, syncsFolder: true)
        } catch {
            throw GroupError("\(error)")
        }
    }

    /// Reads a file of at most a MiB.
    ///
    /// - Throws: `GroupError` when it cannot be read.
    func read(_ name: String) throws(GroupError) -> [UInt8] {
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file(name)))
            return Array(bytes.prefix(1 << 20))
        } catch {
            throw GroupError(
                "\(file(name).printable()) cannot be read: is this computer in the group \(group)? `multicam node join CODE` joins it."
            )
        }
    }

    /// Reads a file of JSON.
    ///
    /// - Throws: `GroupError` when it cannot be read or is something else.
    func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws(GroupError) -> Value {
        let bytes = try read(name)
        do {
            return try JSONText.decoder().decode(type, from: Data(bytes))
        } catch {
            throw GroupError(
                "\(file(name).printable()) is not what multicam wrote there. Restore it, or join the group again."
            )
        }
    }

    /// Writes a file of JSON.
    ///
    /// - Throws: `GroupError` when it cannot be written.
    func encode(_ value: some Encodable, to name: String) throws(GroupError) {
        try write(String(decoding: JSONText.pretty(value), as: UTF8.self) + "\n", to: name)
    }

    // MARK: What is in it

    static let settingsName = "group.json"
    static let membersName = "members.json"
    static let authority = (certificate: "authority.pem", key: "authority-key.pem")
    static let broker = (certificate: "broker.pem", key: "broker-key.pem")
    /// The certificate with which the computer that made the group serves it.
    static let serving = (certificate: "serving.pem", key: "serving-key.pem")
    /// The certificate with which a computer is a node.
    static let node = (certificate: "node.pem", key: "node-key.pem")
    static let collectKey = "collect-key"
    static let invitations = "invitations"

    /// The settings.
    ///
    /// - Throws: `GroupError` when this computer is not in the group.
    func settings() throws(GroupError) -> GroupSettings {
        try decode(GroupSettings.self, from: Self.settingsName)
    }

    /// The members; empty where there are none, and on computers that have only joined.
    ///
    /// - Throws: `GroupError` when they cannot be read.
    func members() throws(GroupError) -> [GroupMember] {
        has(Self.membersName) ? try decode([GroupMember].self, from: Self.membersName) : []
    }

    /// The name by which this computer is known to the broker, and its certificate's files: as a node where it is one, else as the one
    /// that serves.
    ///
    /// - Throws: `GroupError` when it has no certificate.
    func identity() throws(GroupError) -> (name: String, certificate: String, key: String) {
        let settings = try settings()
        if let node = settings.node { return (node, file(Self.node.certificate), file(Self.node.key)) }
        return try servingIdentity()
    }

    /// The identity of the computer that made the group.
    ///
    /// - Throws: `GroupError` when this is another one.
    func servingIdentity() throws(GroupError) -> (name: String, certificate: String, key: String) {
        guard has(Self.serving.certificate) else {
            throw GroupError("the group \(group) was made on another computer: do that there.")
        }
        return ("serving", file(Self.serving.certificate), file(Self.serving.key))
    }

    /// Says what is wrong with this computer's certificate, before a broker refuses it without a reason.
    ///
    /// - Throws: `GroupError` when it has expired, or is of another group's authority.
    func checkCertificate(_ path: String) throws(GroupError) {
        let authority = try Certificate(try read(Self.authority.certificate))
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let own = try Certificate(try read(name))
        guard own.secondsLeft > 0 else {
            throw GroupError(
                "this computer's certificate for the group \(group) has expired: `multicam group invite` there and `multicam node join CODE` here make a new one."
            )
        }
        guard own.isIssued(by: authority) else {
            throw GroupError(
                "this computer's certificate is not of the group \(group), or not valid yet: look at this computer's date, or join the group again."
            )
        }
    }
}
