internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// `multicam collect`: fetches a group's recording from all nodes with rsync over SSH.
struct RecordingCollector {
    let folder: GroupFolder
    /// The recording's name.
    let name: String
    /// Absolute path of the folder that receives the recording.
    let output: String
    /// Bandwidth limit in rsync's `--bwlimit` syntax; `nil` for no limit.
    let limit: String?

    /// The result of a transfer.
    private enum Transfer {
        /// The local copy is identical to the node's files.
        case complete
        /// The transfer failed, and a message was printed.
        case failed
        /// The transfer was interrupted, because it was too slow and other nodes are waiting.
        case slow
    }

    /// A node whose recording is to be fetched.
    private struct Source {
        let member: GroupMember
        /// Name of the recording's folder on the node.
        let folder: String
        /// The node's entry for `group.json`.
        let entry: GroupManifest.Node
    }

    /// A node that transfers less than `bytes` in `time` is fetched after the other nodes, so that a node can't delay the
    /// others.
    private static let leastProgress = (bytes: Int64(1) << 20, time: Nanoseconds.seconds(30))

    /// Fetches the recording. Blocks until every file has arrived or has failed to transfer.
    ///
    /// - Returns: 0 if the local copy of every node's folder is complete and identical to the original, 1
    ///   otherwise.
    /// - Throws: `GroupError` if nothing can be fetched.
    func run() throws(GroupError) -> Int32 {
        guard GroupName.isValidRecordingName(name) else {
            throw GroupError(
                "`\(name.printable(limit: 100))` is not the name of a group recording. Use the name that `multicam record --group` printed.",
                status: 2)
        }
        let members = try folder.members()
        guard folder.has(GroupFolder.collectKey) else {
            throw GroupError(
                "the group \(folder.group) was created on another computer, and only that computer has the key to fetch recordings. Run the command there."
            )
        }
        guard let program = ProgramPath.named("rsync"), ProgramPath.named("ssh") != nil else {
            throw GroupError("rsync or ssh is missing. Install the packages rsync and openssh-client.")
        }
        let connection = try BrokerConnection(folder, as: try folder.servingIdentity())
        let board = RecordingStore(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group)
        let caller = GroupCaller(connection, group: folder.group, coordinator: "collect") {
            ClockPair.now().utc
        }
        let recording = try board.recording(named: name)
        let latest = try board.current()
        // A broker that has lost its data doesn't know the recording. In that case, every member is queried.
        let names = recording?.nodes ?? members.map(\.name)
        guard !names.isEmpty else { throw GroupError("the group \(folder.group) does not have any nodes.") }
        let place = "\(output)/\(name)"
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw GroupError(
                "\(place.printable()) cannot be created. Check its permissions and the free disk space.",
                status: 7)
        }
        try writeKnownHosts(members)
        var (missing, parts): ([String], [NodeRecording]) = ([], [])
        var sources: [Source] = []
        var nodes = Dictionary(
            collectedNodes(in: place).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (node, answer) in caller.sendToAll(
            names, { _ in caller.makeOrder(.report, of: name, term: .max, within: .seconds(4)) })
        {
            guard case .success(let answer) = answer, answer.ok, let part = answer.recording,
                let source = part.folder
            else {
                // A folder that was fetched after its recording ended is complete. If the broker has no
                // record of the recording, a member may not have taken part in it.
                if recording != nil, nodes[node].map({ $0.outcome == "recording" }) ?? true {
                    missing.append(node)
                }
                if case .success(let answer) = answer {
                    if recording != nil {
                        ConsoleOutput.writeMessage("\(node): \(answer.text.printable(limit: 1000))")
                    }
                } else {
                    ConsoleOutput.writeMessage(
                        "\(node) is not responding. Run the command again when this node is online.")
                }
                continue
            }
            parts.append(part)
            let present = Self.entry(node, part, in: source)
            guard let member = members.first(where: { $0.name == node }), Self.isValidFolderName(source),
                present.isPlausible
            else {
                missing.append(node)
                ConsoleOutput.writeMessage(
                    "\(node) is no longer a member of the group, or it reported an invalid recording. No files were fetched from this node."
                )
                continue
            }
            sources.append(Source(member: member, folder: source, entry: present))
        }
        // A slow node is fetched again after the others, then without a minimum speed.
        var queue = sources.map { (source: $0, mustProgress: true) }
        var position = 0
        while position < queue.count {
            let (source, mustProgress) = queue[position]
            position += 1
            let othersWait = position < queue.count
            switch try fetch(source, into: place, by: program, mustProgress: mustProgress && othersWait) {
            case .complete: nodes[source.member.name] = source.entry
            case .failed: missing.append(source.member.name)
            case .slow: queue.append((source, mustProgress: false))
            }
        }
        // The next run of `multicam collect` queries these nodes again and accepts an end that they report later.
        if let recording, recording.isOverdue(after: latest, at: ClockPair.now().utc) {
            for node in sources.map(\.entry) where node.outcome == "recording" && !missing.contains(node.name)
            {
                missing.append(node.name)
                ConsoleOutput.writeMessage(
                    "\(node.name) still reports that it is recording \(name), although the group has ended this recording. The files written so far have been fetched. Run `multicam ctl stop` on the node, then run this command again."
                )
            }
        }
        let start = recording?.t0_utc_ns ?? parts.first?.t0_utc_ns
        guard let start, !nodes.isEmpty else {
            rmdir(place)
            throw GroupError(
                "no files were fetched for \(name): either no node has this recording, or all nodes are offline."
            )
        }
        let here = nodes.values.sorted { $0.name < $1.name }
        let manifest = GroupManifest(
            group: folder.group, recording: name, t0_utc_ns: start,
            duration_ns: recording?.duration_ns ?? parts.first?.duration_ns, nodes: here, missing: missing)
        try write(manifest, in: place)
        ConsoleOutput.writeData(place)
        if here.contains(where: { $0.outcome == "recording" && !missing.contains($0.name) }) {
            ConsoleOutput.writeMessage(
                "the recording is still running. Run the command again after the recording has ended.")
        }
        return missing.isEmpty ? 0 : 1
    }

    /// Creates a node's entry in `group.json` from its report. A node can report arbitrary strings, so only
    /// known outcomes are accepted, and the name of the time source is truncated and stripped of control
    /// characters.
    static func entry(_ node: String, _ part: NodeRecording, in source: String) -> GroupManifest.Node {
        let outcome = part.outcome ?? "recording"
        var clock = part.clock
        if let source = clock?.source { clock?.source = source.printable(limit: 100) }
        return GroupManifest.Node(
            name: node, folder: source, first_ns: part.first_ns ?? 0, t0_monotonic_ns: part.t0_monotonic_ns,
            outcome: outcomes.contains(outcome) ? outcome : "unfinished", clock: clock)
    }

    /// The outcomes that are accepted from nodes: those that appear in manifests, and those of recordings
    /// without a manifest.
    private static let outcomes: Set<String> = [
        "recording", "finished", "storage-failed", "recovered", "unfinished", "failed",
    ]

    /// Whether a string is a valid name for a single folder.
    static func isValidFolderName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte != 0x7F && !"/\\\"'`$;&|<>(){}[]*?!#~:".utf8.contains(byte)
            }
    }

    /// Returns the nodes listed in the manifest of an earlier collection. The result is empty if that
    /// manifest can't be read; the manifest is then replaced.
    private func collectedNodes(in place: String) -> [GroupManifest.Node] {
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

    /// Writes a `known_hosts` file with the public keys of the members' SSH servers. Each key is listed under
    /// the member's name, because addresses can change.
    private func writeKnownHosts(_ members: [GroupMember]) throws(GroupError) {
        let lines = members.flatMap { member in
            member.hostKeys.map { "\(member.name).\(folder.group) \($0)" }
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "known-hosts")
    }

    /// Fetches one node's folder: first the manifest, then the files that the manifest names.
    ///
    /// - Parameters:
    ///   - source: The node and its folder.
    ///   - place: The local folder of the whole recording.
    ///   - program: Path of rsync.
    ///   - mustProgress: Whether to interrupt the transfer if it is too slow.
    /// - Returns: The result of the transfer.
    /// - Throws: `GroupError` if the local folder can't be used or rsync can't be started.
    private func fetch(
        _ source: Source, into place: String, by program: String, mustProgress: Bool
    ) throws(GroupError) -> Transfer {
        let member = source.member
        guard GroupAddress.isValid(member.address), GroupAddress.isValid(member.user) else { return .failed }
        ConsoleOutput.writeMessage("\(member.name): fetching \(source.folder)")
        let tree = CollectedTree(path: "\(place)/\(member.name)")
        try tree.make()
        let lists = CollectedFiles.metadataFiles.map { "--include=/\($0)" } + ["--exclude=*"]
        let free = try tree.freeBytes()
        let first = try copy(
            source, into: tree, by: program, lists, atMost: min(free, Int64(Manifest.largestByteCount) * 2),
            mustProgress: mustProgress)
        guard first == .complete else { return first }
        guard let manifest = try tree.manifest() else {
            ConsoleOutput.writeMessage(
                "\(member.name): only the events were fetched, because the manifest cannot be read. Run `multicam recover \(source.folder)` on this node, then run `multicam collect` again."
            )
            return .failed
        }
        let files = CollectedFiles(manifest)
        let rest = try copy(
            source, into: tree, by: program, files.rules, atMost: files.mostBytes(free: free),
            mustProgress: mustProgress)
        guard rest == .complete else { return rest }
        let others = try tree.removeAll { !files.allows($0) }
        guard others.isEmpty else {
            ConsoleOutput.writeMessage(
                "\(member.name): removed files that do not belong to the recording: \(others.prefix(5).joined(separator: ", ").printable(limit: 400))."
            )
            return .failed
        }
        return .complete
    }

    /// Copies files from a node's folder with rsync. Only regular files that belong to this user are created,
    /// regardless of the types of the files on the node.
    ///
    /// - Parameters:
    ///   - source: The node that provides the files, and its folder.
    ///   - tree: The local folder.
    ///   - program: Path of rsync.
    ///   - rules: rsync filter rules that select the files.
    ///   - most: Maximum size of the local folder in bytes. If the folder exceeds this size, rsync is
    ///     terminated.
    ///   - mustProgress: Whether to interrupt the transfer if it is too slow.
    /// - Returns: The result of the transfer.
    /// - Throws: `GroupError` if rsync can't be started.
    private func copy(
        _ source: Source, into tree: CollectedTree, by program: String, _ rules: [String],
        atMost most: Int64, mustProgress: Bool
    ) throws(GroupError) -> Transfer {
        let member = source.member
        let shell = [
            "ssh", "-i", folder.file(GroupFolder.collectKey), "-p", "\(member.sshPort)", "-o",
            "UserKnownHostsFile=\(folder.file("known-hosts"))", "-o", "GlobalKnownHostsFile=/dev/null", "-o",
            "StrictHostKeyChecking=yes", "-o", "HostKeyAlias=\(member.name).\(folder.group)", "-o",
            "BatchMode=yes",
            "-o", "IdentitiesOnly=yes", "-o", "ConnectTimeout=5", "-o", "ServerAliveInterval=2", "-o",
            "ServerAliveCountMax=3", "-F", "/dev/null",
        ].map { $0.shellQuoted() }.joined(separator: " ")
        // A file that is still growing is updated in place. Parts of a file that are already identical
        // locally aren't sent again.
        var arguments = [
            "-rt", "--no-links", "--no-devices", "--no-specials", "--no-perms", "--no-owner", "--no-group",
            "--chmod=D0755,F0644", "--inplace", "--no-whole-file", "--max-size=\(most)", "--timeout=20", "-e",
            shell,
        ]
        arguments += rules
        if let limit { arguments.append("--bwlimit=\(limit)") }
        let host = member.address.contains(":") ? "[\(member.address)]" : member.address
        arguments += ["--", "\(member.user)@\(host):\(source.folder)/", tree.path + "/"]
        let last = ConditionLock("")
        let fault = ConditionLock<String?>(nil)
        let isSlow = ConditionLock(false)
        let status: Int32
        do throws(ProcessError) {
            let child = try ChildProcess(program, arguments)
            child.readOutput { _ in }
            child.readMessages { line in if !line.isEmpty { last.withLock { if $0.isEmpty { $0 = line } } } }
            child.closeInput()
            let over = Cancellation()
            let watch = MediaThread.startWhenPossible(name: "collect:size") {
                let clock = MonotonicClock()
                var (mark, due) = (tree.byteCount, clock.now + Self.leastProgress.time)
                while clock.sleep(until: clock.now + .milliseconds(200), unless: over) {
                    let found = tree.fault(atMost: most)
                    if found == nil, clock.now < due { continue }
                    let size = tree.byteCount
                    // A limited bandwidth is slow on purpose.
                    if found == nil, !mustProgress || limit != nil || size - mark >= Self.leastProgress.bytes
                    {
                        (mark, due) = (size, clock.now + Self.leastProgress.time)
                        continue
                    }
                    fault.withLock { $0 = found }
                    isSlow.withLock { $0 = found == nil }
                    // The signal goes to the whole process group, which includes rsync's receiver process.
                    kill(-child.processID, SIGKILL)
                    return
                }
            }
            status = child.wait()
            over.cancel()
            watch.join()
        } catch {
            throw GroupError(error.description)
        }
        if let fault = fault.withLock({ $0 }) {
            ConsoleOutput.writeMessage(
                "\(member.name): stopped fetching, because this node sent \(fault). Check the recording on the node, or free some space on this computer, then run the command again."
            )
            return .failed
        }
        if isSlow.withLock({ $0 }) {
            ConsoleOutput.writeMessage(
                "\(member.name): the transfer is slow. The other nodes are fetched first.")
            return .slow
        }
        // Exit status 24 means that files vanished during the transfer, such as temporary files of a running
        // recording.
        guard status != 0, status != 24 else { return .complete }
        ConsoleOutput.writeMessage(
            "\(member.name): the transfer is incomplete: \(last.withLock { $0 }.printable(limit: 400)). Run the command again to fetch the remaining files."
        )
        return .failed
    }
}

/// The local folder for one node's recording. The folder contains only regular files and folders that belong to this
/// user.
struct CollectedTree: Sendable {
    /// The folder's path.
    let path: String

    /// Maximum depth of nested folders. Session folders have one level of subfolders.
    private static let deepest = 3
    /// Disk space that must remain free, in bytes.
    private static let reserve: Int64 = 256 << 20

    /// Creates the folder. A folder that contains links is rejected, because rsync would follow them.
    ///
    /// - Throws: `GroupError` if the folder can't be created or contains anything but files and folders.
    func make() throws(GroupError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw GroupError(
                "\(path.printable()) cannot be created: \(String(cString: strerror(errno))). Check its permissions and the free disk space.",
                status: 7)
        }
        var strange: String?
        walk { name, kind, _ in if kind == .other, strange == nil { strange = name } }
        guard strange == nil, isFolder else {
            throw GroupError(
                "\((path + (strange.map { "/\($0)" } ?? "")).printable()) is not a regular file or folder. Move it to another location, then run the command again.",
                status: 7)
        }
    }

    /// Whether the path refers to a folder and not to a link.
    private var isFolder: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Total size of the files in bytes. Holes in sparse files are counted like data.
    var byteCount: Int64 {
        var sum: Int64 = 0
        walk { _, _, bytes in sum &+= bytes }
        return sum
    }

    /// Checks the files fetched so far.
    ///
    /// - Parameter most: Maximum size of the folder in bytes.
    /// - Returns: The reason why fetching must stop, as the object of the phrase "it sent"; `nil` if fetching may
    ///   continue.
    func fault(atMost most: Int64) -> String? {
        var (sum, strange): (Int64, String?) = (0, nil)
        walk { name, kind, bytes in
            sum &+= bytes
            if kind == .other, strange == nil { strange = name }
        }
        if let strange {
            return "`\(strange.printable(limit: 100))`, which is not a regular file or folder"
        }
        guard sum > most else { return nil }
        return
            "more than \(most / 1_000_000) MB, which exceeds the size in its manifest or the free space on this disk"
    }

    /// Returns the maximum size of the folder in bytes: its current size plus the free space on its disk, minus a
    /// reserve.
    ///
    /// - Throws: `GroupError` if the disk is full or its free space can't be determined.
    func freeBytes() throws(GroupError) -> Int64 {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else {
            throw GroupError("\(path.printable()): \(String(cString: strerror(errno))).", status: 7)
        }
        let (free, isTooLarge) = Int64(clamping: disk.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: disk.f_frsize))
        let room = (isTooLarge ? Int64.max / 2 : min(free, .max / 2)) - Self.reserve
        guard room > 0 else {
            throw GroupError(
                "the disk that contains \(path.printable()) is full. Free some space, then run the command again.",
                status: 7)
        }
        return room + min(byteCount, .max / 2)
    }

    /// Returns the folder's manifest; `nil` if the manifest can't be read.
    func manifest() throws(GroupError) -> Manifest? {
        do {
            return try Manifest(reading: try ContainedFile(Manifest.fileName, in: path))
        } catch {
            return nil
        }
    }

    /// Removes files that don't belong to the recording, and every item that isn't a file or a folder.
    ///
    /// - Returns: The removed paths, relative to the folder.
    /// - Throws: `GroupError` if an item can't be removed.
    func removeAll(where isForeign: (String) -> Bool) throws(GroupError) -> [String] {
        var foreign: [String] = []
        walk { name, kind, _ in if kind == .other || kind == .file && isForeign(name) { foreign.append(name) }
        }
        do throws(FileError) {
            let folder = try ContainedFolder(opening: path)
            for name in foreign { try folder.file(name).remove() }
        } catch {
            throw GroupError("\(error)", status: 7)
        }
        return foreign
    }

    private enum Kind {
        case file
        case folder
        case other
    }

    /// Calls a function for every item below the folder, with its relative path. Items that disappear during
    /// the walk are skipped.
    private func walk(_ visit: (String, Kind, Int64) -> Void) {
        do throws(FileError) {
            try Self.walk(try ContainedFolder(opening: path), "", 0, visit)
        } catch {
            // The folder has been removed since it was listed.
        }
    }

    private static func walk(
        _ folder: ContainedFolder, _ prefix: String, _ depth: Int, _ visit: (String, Kind, Int64) -> Void
    ) throws(FileError) {
        let listing = try folder.listing(atMost: 100_000)
        for name in listing.names {
            let file = folder.file(name)
            if let bytes = file.byteCount {
                visit(prefix + name, .file, bytes)
                continue
            }
            let inner: ContainedFolder
            do throws(FileError) {
                inner = try folder.folder(name)
            } catch {
                if file.exists { visit(prefix + name, .other, 0) }
                continue
            }
            visit(prefix + name, .folder, 0)
            guard depth < deepest else { continue }
            do throws(FileError) {
                try walk(inner, "\(prefix)\(name)/", depth + 1, visit)
            } catch {
                // A folder that can't be read is reported as an invalid item, unless the folder has been
                // removed in the meantime.
                if file.exists { visit(prefix + name, .other, 0) }
            }
        }
        // Recorders never create files with names that aren't valid text.
        for name in listing.unreadableNames { visit(prefix + name, .other, 0) }
    }
}

/// The files that `multicam collect` fetches from a node's session folder: the files that the manifest names,
/// and the later parts of these files.
///
/// Files on nodes aren't trusted. A node could offer links, device files, an unlimited number of files, or
/// file names that contain terminal control characters.
struct CollectedFiles {
    /// The files that are fetched before the manifest is known.
    static let metadataFiles = ["manifest.json", "events.ndjson", "clock.ndjson"]

    private let names: Set<String>
    /// The first file of each track. The track's later parts continue this file.
    private let bases: Set<String>
    /// Total size in bytes of a finished recording's media files, according to its manifest; `nil` while the recording
    /// is running.
    private let mediaBytes: Int64?

    /// Maximum total size in bytes of all files except media files: the manifest, events, frame metadata,
    /// stills, project files, and the report.
    private static let otherBytes: Int64 = 1 << 30

    /// Reads the file names from a manifest. Names that point outside the folder or contain special
    /// characters are dropped.
    init(_ manifest: Manifest) {
        var names = Set(
            Self.metadataFiles + [
                "report/sync.svg", "report/sync.json", "report/sync-check.svg", "edit/cut.json",
            ])
        names.formUnion(["fcpxml", "otio", "mlt", "edl"].map { "edit/session.\($0)" })
        for track in manifest.tracks {
            names.insert(track.file)
            names.formUnion(track.parts ?? [])
        }
        names.formUnion((manifest.files ?? []).map(\.file))
        names.formUnion(manifest.devices.compactMap(\.metadata))
        names.formUnion((manifest.stills ?? []).map(\.file))
        names.formUnion((manifest.uploads ?? []).map(\.file))
        self.names = names.filter(Self.isPlain)
        bases = Set(manifest.tracks.map(\.file).filter(Self.isPlain))
        mediaBytes =
            manifest.outcome == .recording
            ? nil
            : (manifest.files ?? []).reduce(Int64(0)) { sum, file in
                let (bytes, isTooLarge) = sum.addingReportingOverflow(file.bytes)
                return isTooLarge ? .max : bytes
            }
    }

    /// Whether a path stays within the folder and contains no characters that are special to rsync or to a terminal.
    private static func isPlain(_ path: String) -> Bool {
        path.isSafeRelativePath && path.utf8.count <= 400 && path == path.printable(limit: 400)
            && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasPrefix("-")
            }
            && path.utf8.allSatisfy { !"*?[]\\\"'`".utf8.contains($0) }
    }

    /// Whether the file at a path, relative to the session folder, belongs to the recording.
    func allows(_ path: String) -> Bool {
        names.contains(path) || bases.contains { PartName.number(of: path, continuing: $0) != nil }
    }

    /// Returns the maximum size of the local folder for the node's recording.
    ///
    /// - Parameter free: Maximum folder size in bytes that the disk allows: the current size of the folder
    ///   plus the free space.
    /// - Returns: The maximum size in bytes.
    func mostBytes(free: Int64) -> Int64 {
        guard let mediaBytes else { return free }
        let (bytes, isTooLarge) = mediaBytes.addingReportingOverflow(Self.otherBytes)
        return isTooLarge ? free : min(bytes, free)
    }

    /// rsync filter rules that include these files and exclude all other files.
    var rules: [String] {
        var folders: Set<String> = []
        var files: [String] = []
        for name in names {
            if let slash = name.lastIndex(of: "/") { folders.insert(String(name[..<slash])) }
            files.append(name)
            if bases.contains(name), let dot = name.lastIndex(of: ".") {
                // Part numbers have at most four digits, because a recording has at most a few hundred parts.
                // The rules avoid `*`, which would also match characters that no recorder writes.
                for count in 1...4 {
                    let digits = String(repeating: "[0-9]", count: count)
                    files.append("\(name[..<dot])-\(digits)\(name[dot...])")
                }
            }
        }
        return (folders.sorted().map { "/\($0)/" } + files.sorted().map { "/\($0)" }).map {
            "--include=\($0)"
        }
            + ["--exclude=*"]
    }
}
