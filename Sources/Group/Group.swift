internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamQRCodes
internal import MulticamSessionFolder
internal import MulticamSystem

/// Runs the recorders of several computers as one session. The process that runs this code communicates with
/// the other computers in the group. The process starts recorders and controls them through their control
/// sockets. If the process fails, running recordings aren't affected.
package enum Group {
    /// Runs the task that `multicam` requests. Blocks the calling thread, which must be the main thread and
    /// the process's only thread.
    ///
    /// - Parameter arguments: The program's name, a task such as `serve`, and arguments of the form
    ///   `KEY=VALUE`.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        // Block the signals before preparation starts the first thread. If any thread didn't block them, the
        // signals would terminate the process.
        StopSignals.block()
        return ProcessPreparation.run("multicam-group") { perform(arguments) }
    }

    private static func perform(_ arguments: [String]) -> Int32 {
        do throws(GroupError) {
            let status = try GroupTask(Array(arguments.dropFirst())).run()
            return status == 0 && ConsoleOutput.hasLostData ? 1 : status
        } catch {
            ConsoleOutput.writeMessage(error.description)
            return error.status
        }
    }
}

/// The task that `multicam` requests from this program.
struct GroupTask {
    private let name: String
    private let values: [String: [String]]

    /// Parses the program's arguments.
    ///
    /// - Parameter words: The task's name, followed by arguments of the form `KEY=VALUE`.
    /// - Throws: `GroupError` with status 2 for invalid arguments.
    init(_ words: [String]) throws(GroupError) {
        guard let name = words.first else { throw Self.usage }
        var values: [String: [String]] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Self.usage }
            values[String(parts[0]), default: []].append(String(parts[1]))
        }
        (self.name, self.values) = (name, values)
    }

    private static let usage = GroupError(
        "this program must be started by `multicam`. See `multicam group --help`.", status: 2)

    private func value(_ key: String) throws(GroupError) -> String {
        guard let value = values[key]?.first else { throw Self.usage }
        return value
    }

    private func optional(_ key: String) -> String? { values[key]?.first }

    private func number<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) throws(GroupError) -> Number? {
        guard let text = optional(key) else { return nil }
        guard let number = Number(text), range.contains(number) else { throw Self.usage }
        return number
    }

    private func folder() throws(GroupError) -> GroupFolder {
        guard let group = optional("group") else { return try GroupFolder.only() }
        return try GroupFolder(group)
    }

    /// Runs the task.
    ///
    /// - Returns: The exit status.
    /// - Throws: `GroupError` with the reason for the failure.
    func run() throws(GroupError) -> Int32 {
        switch name {
        case "init": try makeGroup()
        case "serve": try GroupServer(folder: try folder(), server: optional("server")).run()
        case "invite": try invite()
        case "remove": try remove()
        case "join": try join()
        case "node":
            try Node(
                try folder(), program: try value("program"), profile: try value("profile"),
                arguments: values["argument"] ?? [], output: optional("output"), page: optional("page")
            ).run()
        case "status": return try GroupStatus(folder: try folder(), asJSON: optional("json") != nil).run()
        case "record": return try makeCoordinator().run()
        case "ctl":
            return try GroupControlCommand(
                folder: try folder(), nodes: values["node"] ?? [], words: values["word"] ?? []
            ).run()
        case "collect":
            return try RecordingCollector(
                folder: try folder(), name: try value("recording"), output: try value("output"),
                limit: optional("limit")
            ).run()
        default: throw Self.usage
        }
        return 0
    }

    private func makeCoordinator() throws(GroupError) -> Coordinator {
        let nodes = (values["node"] ?? []).map { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            return (name: parts.first ?? "", profile: parts.count == 2 ? parts[1] : nil)
        }
        return Coordinator(
            folder: try folder(), nodes: nodes,
            duration: try number("duration", in: 1...Int64.max).map { Nanoseconds($0) },
            asJSON: optional("json") != nil)
    }

    private func makeGroup() throws(GroupError) {
        let folder = try GroupFolder(try value("group"))
        guard !folder.has(GroupFolder.authority.certificate) else {
            throw GroupError(
                "the group \(folder.group) already exists on this computer: \(folder.path.printable()). Choose another name, or remove this folder."
            )
        }
        let own = GroupAddress.ownAddresses()
        guard let address = optional("address") ?? own.first else {
            throw GroupError(
                "this computer does not have an address that other computers can reach. Set one with `--address`."
            )
        }
        guard GroupAddress.isValid(address) else {
            throw GroupError(
                "`--address \(address.printable(limit: 100))`: expected an IP address or a host name.",
                status: 2)
        }
        try folder.make()
        try GroupAuthority.make(in: folder)
        try SSHKey.make(in: folder)
        try folder.encode([GroupMember](), to: GroupFolder.membersName)
        let settings = GroupSettings(
            name: folder.group, address: address, port: try number("port", in: 1...65_533) ?? 8474)
        try folder.encode(settings, to: GroupFolder.settingsName)
        try BrokerConfiguration(folder: folder, settings: settings, members: []).write()
        ConsoleOutput.writeData(folder.path)
        ConsoleOutput.writeMessage(
            "created the group \(folder.group). Other computers can reach this computer at \(address), ports \(settings.port) to \(settings.timePort). Next, run `multicam group serve` here, then `multicam group invite` for each computer."
        )
        if optional("address") == nil, own.count > 1 {
            ConsoleOutput.writeMessage(
                "this computer has several addresses: \(own.joined(separator: ", ")). Use `--address` to set the address that other computers can reach."
            )
        }
    }

    private func invite() throws(GroupError) {
        let folder = try folder()
        let settings = try folder.settings()
        let authority = try GroupAuthority(of: folder)
        let minutes: Int = try number("minutes", in: 1...1440) ?? 15
        let code = PairingCode(
            group: folder.group, address: settings.address, port: settings.pairingPort,
            fingerprint: authority.fingerprint)
        try folder.make(GroupFolder.invitations)
        try folder.write(
            JSONText.line(
                Invitation(
                    until: Int64(time(nil) + minutes * 60), isCoordinator: optional("coordinator") != nil)),
            to: "\(GroupFolder.invitations)/\(PairingCode.digest(code.secret))")
        ConsoleOutput.writeData(code.text)
        ConsoleOutput.writeMessage(
            "this pairing code is valid for one computer and for \(minutes) minutes. On that computer, run: multicam node join \(code.text.shellQuoted())"
        )
        if isatty(STDERR_FILENO) == 1 {
            for line in QRCode.lines(code.text) { ConsoleOutput.writeLine(line) }
        }
    }

    private func remove() throws(GroupError) {
        let folder = try folder()
        let name = try value("node")
        var members = try folder.members()
        guard members.contains(where: { $0.name == name }) else {
            let known = members.map(\.name).joined(separator: ", ")
            throw GroupError(
                "the group \(folder.group) does not have a node named \(name.printable(limit: 60)).\(known.isEmpty ? "" : " Its nodes: \(known).")",
                status: 2)
        }
        members.removeAll { $0.name == name }
        try folder.encode(members, to: GroupFolder.membersName)
        ConsoleOutput.writeMessage(
            "removed \(name) from the group \(folder.group). `multicam group serve` revokes its access within one second."
        )
    }

    private func join() throws(GroupError) {
        let code = try PairingCode(try value("code"))
        let joining = JoinOperation(
            code: code, name: try value("name"), output: try value("output"),
            sshPort: try number("ssh-port", in: 1...65_535) ?? 22)
        for sentence in try joining.run() { ConsoleOutput.writeMessage(sentence) }
    }
}
