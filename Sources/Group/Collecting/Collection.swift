internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// `multicam collect`: fetches a group's recording from all nodes by rsync over SSH.
struct Collection {
    let folder: GroupFolder
    /// The recording's name.
    let name: String
    /// Where the folder is made, as an absolute path.
    let output: String
    /// The most to fetch at once, in rsync's words; `nil` for no limit.
    let limit: String?

    /// Fetches. Blocks until all is here, or cannot be fetched.
    ///
    /// - Returns: 0 when every node's folder is here as it is there, 1 otherwise.
    /// - Throws: `GroupError` when nothing can be fetched.
    func run() throws(GroupError) -> Int32 {
        guard NodeJournal.isName(name) else {
            throw GroupError(
                "`\(name.printable(limit: 100))` is no recording of a group: expected the name that `multicam record --group` has printed.",
                status: 2)
        }
        let members = try folder.members()
        guard folder.has(GroupFolder.collectKey) else {
            throw GroupError(
                "the group \(folder.group) was made on another computer, which alone has the key to fetch recordings: do that there."
            )
        }
        guard let program = ProgramPath.named("rsync"), ProgramPath.named("ssh") != nil else {
            throw GroupError("rsync or ssh is missing: install the packages rsync and openssh-client.")
        }
        let connection = try BrokerConnection(folder, as: try folder.servingIdentity())
        let board = RecordingBoard(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group)
        let caller = GroupCaller(connection, group: folder.group, conductor: "collect") {
            ClockPair.now().utc
        }
        let recording = try board.kept(name)
        // A broker that has lost its disk knows none: then each node is asked.
        let names = recording?.nodes ?? members.map(\.name)
        guard !names.isEmpty else { throw GroupError("the group \(folder.group) has no nodes.") }
        let place = "\(output)/\(name)"
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw GroupError(
                "\(place.printable()) cannot be made: ask for permission there, or make room.", status: 7)
        }
        try writeKnownHosts(members)
        var (missing, parts): ([String], [NodeRecording]) = ([], [])
        var nodes = Dictionary(
            before(in: place).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (node, answer) in caller.askAll(
            names, { _ in caller.order(.report, of: name, term: .max, within: .seconds(4)) })
        {
            guard case .success(let answer) = answer, answer.ok, let part = answer.recording,
                let source = part.folder
            else {
                // What was fetched when it had ended is whole; of a broker without a memory, any member may have taken no part.
                if recording != nil, nodes[node].map({ $0.outcome == "recording" }) ?? true {
                    missing.append(node)
                }
                if case .success(let answer) = answer {
                    if recording != nil { Talk.say("\(node): \(answer.text.printable(limit: 1000))") }
                } else {
                    Talk.say("\(node) does not answer; run this again when it is there.")
                }
                continue
            }
            parts.append(part)
            let present = GroupManifest.Node(
                name: node, folder: source, first_ns: part.first_ns ?? 0,
                t0_monotonic_ns: part.t0_monotonic_ns, outcome: part.outcome ?? "recording", clock: part.clock
            )
            guard let member = members.first(where: { $0.name == node }), Self.isFolder(source),
                present.isPlausible
            else {
                missing.append(node)
                Talk.say(
                    "\(node) is no member of the group any more, or tells of no recording that can be: nothing is fetched from it."
                )
                continue
            }
            Talk.say("\(node): fetching \(source)")
            guard try fetch(source, from: member, into: "\(place)/\(node)", by: program) else {
                missing.append(node)
                continue
            }
            nodes[node] = present
        }
        let start = recording?.t0_utc_ns ?? parts.first?.t0_utc_ns
        guard let start, !nodes.isEmpty else {
            rmdir(place)
            throw GroupError("nothing was fetched of \(name): no node has it, or none is there.")
        }
        let here = nodes.values.sorted { $0.name < $1.name }
        let manifest = GroupManifest(
            group: folder.group, recording: name, t0_utc_ns: start,
            duration_ns: recording?.duration_ns ?? parts.first?.duration_ns, nodes: here, missing: missing)
        try write(manifest, in: place)
        Talk.data(place)
        if here.contains(where: { $0.outcome == "recording" }) {
            Talk.say("it is still being recorded: run this again when it has ended.")
        }
        return missing.isEmpty ? 0 : 1
    }

    /// Whether a text is the name of one folder.
    static func isFolder(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte != 0x7F && !"/\\\"'`$;&|<>(){}[]*?!#~:".utf8.contains(byte)
            }
    }

    /// What was collected before; nothing where that cannot be read: it is written anew.
    private func before(in place: String) -> [GroupManifest.Node] {
        do throws(FileError) {
            return try GroupManifest.read(in: place)?.nodes ?? []
        } catch {
            return []
        }
    }

    private func write(_ manifest: GroupManifest, in place: String) throws(GroupError) {
        do throws(FileError) {
            try SessionFolder.write(JSONText.pretty(manifest), to: GroupManifest.fileName, in: place)
        } catch {
            throw GroupError("\(error)", status: 7)
        }
    }

    /// The keys of the members' SSH servers, each under its member's name: an address may change.
    private func writeKnownHosts(_ members: [GroupMember]) throws(GroupError) {
        let lines = members.flatMap { member in
            member.hostKeys.map { "\(member.name).\(folder.group) \($0)" }
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "known-hosts")
    }

    /// Fetches one folder.
    ///
    /// - Returns: Whether it is here as it is there.
    private func fetch(
        _ source: String, from member: GroupMember, into target: String, by program: String
    ) throws(GroupError) -> Bool {
        guard GroupAddress.isValid(member.address), GroupAddress.isValid(member.user) else { return false }
        let shell = [
            "ssh", "-i", folder.file(GroupFolder.collectKey), "-p", "\(member.sshPort)", "-o",
            "UserKnownHostsFile=\(folder.file("known-hosts"))", "-o", "GlobalKnownHostsFile=/dev/null", "-o",
            "StrictHostKeyChecking=yes", "-o", "HostKeyAlias=\(member.name).\(folder.group)", "-o",
            "BatchMode=yes",
            "-o", "IdentitiesOnly=yes", "-o", "ConnectTimeout=5", "-o", "ServerAliveInterval=2", "-o",
            "ServerAliveCountMax=3", "-F", "/dev/null",
        ].map { $0.shellQuoted() }.joined(separator: " ")
        // A file that grows is fetched into its place; what is here and the same is not sent again; drafts are not for keeping.
        var arguments = [
            "-a", "--inplace", "--no-whole-file", "--exclude=*.new", "--timeout=20", "-e", shell,
        ]
        if let limit { arguments.append("--bwlimit=\(limit)") }
        let host = member.address.contains(":") ? "[\(member.address)]" : member.address
        arguments += ["--", "\(member.user)@\(host):\(source)/", target + "/"]
        let last = ConditionLock("")
        let status: Int32
        do throws(ProcessError) {
            let child = try ChildProcess(program, arguments)
            child.readOutput { _ in }
            child.readMessages { line in if !line.isEmpty { last.withLock { if $0.isEmpty { $0 = line } } } }
            child.finish()
            status = child.wait()
        } catch {
            throw GroupError(error.description)
        }
        // 24: files vanished while it was fetched, drafts of a recording that runs.
        guard status != 0, status != 24 else { return true }
        Talk.say(
            "\(member.name): not all was fetched: \(last.withLock { $0 }.printable(limit: 400)). Run this again: what is here is not sent again."
        )
        return false
    }
}
