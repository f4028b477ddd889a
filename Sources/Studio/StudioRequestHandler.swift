internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Executes the pages' requests, mostly by running `multicam` itself. Therefore, a page can't do anything
/// that isn't possible with the commands of `multicam`. Safe to use from any thread. Each task blocks its
/// thread.
package struct StudioRequestHandler: Sendable {
    let plan: StudioPlan
    let owners: PhoneOwners

    init(plan: StudioPlan) {
        self.plan = plan
        owners = PhoneOwners(folder: "\(plan.stateFolder)/phones")
    }

    /// Nice value of the programs that execute tasks. The priority is lower than the priority of a recording,
    /// but it isn't the lowest possible priority, because a user is waiting for the result.
    private static let lowPriority: Int32 = 10
    /// Maximum size of a profile sent by a page, in bytes.
    private static let longestProfile = 1 << 17

    /// Executes the task that a page requested.
    ///
    /// - Returns: JSON if the task succeeds, otherwise a message.
    func perform(_ order: SupervisorMessage.Request) -> Outcome {
        switch order.task {
        case .plan: run(["plan", "--json"] + plan.choice + plan.outputOptions)
        case .devices: run(["devices", "--json"])
        case .doctor: run(["doctor", "--json"] + plan.choice)
        case .group: groups()
        case .calibration: run(["calibrate", "--show", "--json"])
        case .profiles:
            run(["profiles", "--json"] + (plan.profileFile.map { ["--with-file", $0.path] } ?? []))
        case .recordings: run(["recordings", "--json"] + plan.outputOptions)
        case .rename:
            change(order.name) { ["recordings", "rename", "--json", "--", $0, order.text ?? ""] }
        case .delete: delete(order.name, order.text ?? "")
        // The file manager inherits the priority.
        case .open: change(order.name, lowersPriority: false) { ["recordings", "open", "--json", $0] }
        case .profile: profile(order.name)
        case .check: check(order.text ?? "")
        case .keep: saveProfile(order.name, order.text ?? "")
        case .store: store(order.piece, of: order.name)
        case .claim: claim(order.phone, in: order.name)
        case .use, .start, .job, .cancel: (409, "This request is handled by the supervisor.")
        }
    }

    /// Result of a task: the HTTP status, and a text, which is JSON if the status is 200 and a message
    /// otherwise.
    typealias Outcome = (status: Int, output: String)

    static let noName: Outcome = (
        400, "Invalid profile name. Use at most 64 letters, digits, hyphens, and underscores."
    )
    static let noFolder: Outcome = (404, "No recording has this name.")

    /// Whether a text is a valid profile name. The name becomes a file name.
    package static func isProfileName(_ name: String?) -> Bool {
        guard let name else { return false }
        return (1...64).contains(name.utf8.count) && name.isPlain && !name.hasPrefix("-")
    }

    /// Whether a text is a valid name of a session folder: an entry of the output folder, never a path.
    package static func isFolderName(_ name: String?) -> Bool {
        guard let name, (1...255).contains(name.utf8.count), name != ".", name != "..", !name.hasPrefix("-")
        else { return false }
        return !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    // MARK: Profiles

    /// Returns the text of a profile.
    func profile(_ name: String?) -> Outcome {
        guard let name = plan.profileArgument(name) else { return (404, Self.noName.output) }
        let result = run(["profiles", name, "--json"])
        return result.status == 200 ? result : (404, result.output)
    }

    private struct Fault: Encodable {
        var line: Int?
        var column: Int?
        var path: String?
        var text: String
    }

    private struct Checked: Encodable {
        var ok: Bool
        var errors: [Fault]
        var plan_error: String?
    }

    /// Checks the text of a profile, and plans a recording with the profile.
    private func check(_ text: String) -> Outcome {
        guard text.utf8.count <= Self.longestProfile else {
            return (413, "The profile is too large. The limit is \(Self.longestProfile) bytes.")
        }
        let file = "\(plan.stateFolder)/edited-\(getpid())-\(UInt32.random(in: 0 ... .max)).yaml"
        defer { unlink(file) }
        do throws(FileError) {
            try FolderCreation.make(plan.stateFolder, permissions: 0o700)
            try FileReplacement.write(Array(text.utf8), to: file, permissions: 0o600)
        } catch {
            return (409, "\(error)")
        }
        let checked = Self.output(of: plan.program, ["profiles", "--check", file])
        guard checked.status == 0 else {
            return (
                200,
                JSONText.line(
                    Checked(ok: false, errors: checked.messages.compactMap { Self.fault($0, file) }))
            )
        }
        let planned = Self.output(
            of: plan.program,
            ["plan", "--json", "--no-load", "--profile", file] + plan.deviceOptions + plan.outputOptions)
        guard let json = planned.lines.first else {
            let words = planned.messages.map { $0.replacing(file, with: "the profile") }.joined(
                separator: " ")
            return (200, JSONText.line(Checked(ok: true, errors: [], plan_error: Self.sentence(words))))
        }
        return (200, #"{"ok":true,"errors":[],"plan":\#(json)}"#)
    }

    /// Parses a line of the checker: `multicam: FILE:LINE:COLUMN: PATH: TEXT`.
    private static func fault(_ message: String, _ file: String) -> Fault? {
        let text = sentence(message)
        guard text.hasPrefix(file) else { return text.isEmpty ? nil : Fault(text: text) }
        var rest = text.dropFirst(file.count)
        func number() -> Int? {
            guard rest.hasPrefix(":") else { return nil }
            let digits = rest.dropFirst().prefix { $0.isNumber }
            guard let value = Int(digits) else { return nil }
            rest = rest.dropFirst(1 + digits.count)
            return value
        }
        let (line, column) = (number(), number())
        if rest.hasPrefix(": ") { rest = rest.dropFirst(2) }
        let parts = rest.split(separator: ": ", maxSplits: 1)
        let isPath = parts.count == 2 && !parts[0].contains(" ")
        return Fault(
            line: line, column: column, path: isPath ? String(parts[0]) : nil,
            text: String(isPath ? parts[1] : rest))
    }

    /// Saves a profile in the user's folder if it is valid.
    private func saveProfile(_ name: String?, _ text: String) -> Outcome {
        guard Self.isProfileName(name), let name else { return Self.noName }
        guard name != plan.profileFile?.name else {
            return (
                409, "`\(name)` is the profile file with which the studio was started. Choose another name."
            )
        }
        guard let folder = plan.profileFolder else {
            return (
                409,
                "Profiles can't be saved: neither XDG_CONFIG_HOME nor HOME is set. Set one of them to a folder."
            )
        }
        let checked = check(text)
        guard checked.status == 200 else { return checked }
        guard checked.output.contains(#""ok":true"#) else {
            return (409, "The profile has errors and was not saved.")
        }
        do throws(FileError) {
            try FolderCreation.make(folder)
            try FileReplacement.write(Array(text.utf8), to: "\(folder)/\(name).yaml", syncsFolder: true)
        } catch {
            return (409, "\(error)")
        }
        return (
            200,
            JSONText.line(["ok": JSONValue.boolean(true), "text": .string("saved as \(folder)/\(name).yaml")])
        )
    }

    // MARK: Groups

    private struct Groups: Encodable {
        let ok = true
        /// Current time on CLOCK_MONOTONIC, which is also the clock of the files' timestamps.
        var now_ns: Int64
        var groups: [JSONValue]
    }

    /// Maximum size of a group's file, in bytes.
    private static let longestGroup = 1 << 20

    /// Returns the state of the nodes in this computer's groups, from the files written by the programs that
    /// receive this state.
    private func groups() -> Outcome {
        let place = ControlFolder(environment: ProcessInfo.processInfo.environment).groups
        var found = Groups(now_ns: 0, groups: [])
        for name in FolderListing.names(in: place).sorted() where name.hasSuffix(".json") {
            guard let bytes = FileManager.default.contents(atPath: "\(place)/\(name)"),
                bytes.count <= Self.longestGroup
            else { continue }
            do {
                found.groups.append(try JSONText.decoder().decode(JSONValue.self, from: bytes))
            } catch {
                // Ignore files that were not written by this program.
            }
        }
        found.now_ns = MonotonicClock().now.nanoseconds
        return (200, JSONText.line(found))
    }

    // MARK: Recordings

    func path(_ folder: String) -> String { "\(plan.recordings)/\(folder)" }

    /// Runs a command on a session folder. Programs without output report their messages.
    private func change(
        _ folder: String?, lowersPriority: Bool = true, _ arguments: (String) -> [String]
    ) -> Outcome {
        guard Self.isFolderName(folder), let folder, FolderState(of: path(folder)) != .noRecording else {
            return Self.noFolder
        }
        return run(arguments(path(folder)), lowersPriority: lowersPriority)
    }

    private func delete(_ folder: String?, _ place: String) -> Outcome {
        guard ["trash", "permanent"].contains(place) else {
            return (400, "Invalid request: expected `trash` or `permanent`.")
        }
        let outcome = change(folder) {
            ["recordings", "delete", "--json"] + (place == "permanent" ? ["--permanently"] : []) + [$0]
        }
        // The command has locked the recording. If it failed because another program uses the recording, the page doesn't
        // offer to delete the files permanently.
        let isUsed = outcome.status == 409 && outcome.output.contains(RecordingUse.remedy)
        return isUsed ? (423, RecordingUse.remedy.asSentence) : outcome
    }

    // MARK: Programs

    func run(_ arguments: [String], lowersPriority: Bool = true) -> Outcome {
        let result = Self.output(of: plan.program, arguments, lowersPriority: lowersPriority)
        if !result.lines.isEmpty { return (200, result.lines.joined(separator: "\n")) }
        let words = result.messages.map(Self.sentence).joined(separator: " ")
        return (409, words.isEmpty ? "The program exited with status \(result.status)." : words)
    }

    /// Returns a message without the leading program name.
    static func sentence(_ line: String) -> String {
        let prefix = "multicam: "
        return (line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line).printable(limit: 2000)
    }

    /// The complete output of a program that has ended.
    private struct ProgramOutput: Sendable {
        var lines: [String] = []
        var messages: [String] = []
        var status: Int32 = 1
        var ended = 0
    }

    private static func output(
        of program: String, _ arguments: [String], lowersPriority: Bool = true
    ) -> ProgramOutput {
        do throws(StudioError) {
            let child = try ChildProcess.start(program, arguments, variables: ["MULTICAM_JOB=1"])
            if lowersPriority { JobRegistry.lowerPriority(of: child.processID, to: lowPriority) }
            let collected = ConditionLock(ProgramOutput())
            child.readOutput { line in
                collected.withLock { $0.lines.append(line) }
            } whenOver: {
                collected.broadcast { $0.ended += 1 }
            }
            child.readMessages { line in
                collected.withLock { $0.messages.append(line) }
            } whenOver: {
                collected.broadcast { $0.ended += 1 }
            }
            let status = child.wait()
            var result = collected.wait { $0.ended == 2 ? $0 : nil }
            result.status = status
            return result
        } catch {
            return ProgramOutput(messages: ["\(error)"])
        }
    }
}

extension StudioRequestHandler {
    /// Maximum size of a phone's local recording in bytes: about eight hours at 16 Mbit/s.
    private static let maxUploadSize: Int64 = 64 << 30
    /// Maximum number of uploads per camera in a recording, including finished ones. A phone starts another upload when
    /// its page is reloaded.
    private static let mostUploads = 32
    /// Disk space to keep free, in bytes.
    private static let reservedSpace: Int64 = 2 << 30

    /// Number of bytes that have arrived, and whether all of them are in the recording.
    private struct Stored: Encodable {
        var offset: Int64
        var done: Bool
    }

    /// Stores a piece of a phone's local recording. After the last piece, adds the upload to the session. If the
    /// phone's user discarded the local recording, deletes the stored pieces.
    func store(_ piece: PhonePiece?, of folder: String?) -> Outcome {
        guard Self.isFolderName(folder), let folder else { return Self.noFolder }
        guard let piece, let arrival = UploadArrival(role: piece.role, id: piece.id),
            (1...Self.maxUploadSize).contains(piece.total), (0...piece.total).contains(piece.offset),
            let bytes = Data(base64Encoded: piece.bytes), Int64(bytes.count) <= piece.total - piece.offset
        else { return (400, "Invalid description of the phone's saved video.") }
        let path = path(folder)
        let session: ContainedFolder
        do throws(FileError) { session = try ContainedFolder(opening: path) } catch { return Self.noFolder }
        if let remedy = FolderState(of: session).remedy(for: path) { return (409, remedy) }
        guard let manifest = Self.manifest(in: session) else { return Self.noFolder }
        do throws(FileError) {
            guard try owners.owns(piece.key, as: piece.device, of: manifest) else {
                return (404, Self.notCamera(piece.role))
            }
        } catch {
            return (409, error.description)
        }
        if manifest.uploads?.contains(where: { $0.id == piece.id }) == true {
            return (200, JSONText.line(Stored(offset: piece.total, done: true)))
        }
        guard manifest.devices.contains(where: { $0.role == piece.role && $0.identity == piece.device })
        else {
            return (404, Self.notCamera(piece.role))
        }
        if piece.isDiscarded {
            do throws(FileError) { try session.file(arrival.file).remove() } catch {
                return (409, error.description)
            }
            return (200, JSONText.line(Stored(offset: 0, done: true)))
        }
        do throws(FileError) {
            let arrived = try append(bytes, piece, arrival, in: session, manifest)
            guard arrived == piece.total else {
                return (200, JSONText.line(Stored(offset: arrived, done: false)))
            }
        } catch {
            return (409, error.description)
        }
        let added = run(["ingest", path, piece.role, piece.id, "--json"])
        return added.status == 200 ? (200, JSONText.line(Stored(offset: piece.total, done: true))) : added
    }

    /// Registers a phone as a camera of the running recording, if no other phone is registered as that camera.
    func claim(_ phone: PhoneIdentity?, in folder: String?) -> Outcome {
        guard Self.isFolderName(folder), let folder else { return Self.noFolder }
        guard let phone else { return Self.noFolder }
        do throws(FileError) {
            let session = try ContainedFolder(opening: path(folder))
            guard let manifest = Self.manifest(in: session) else { return Self.noFolder }
            return try owners.claim(phone.key, as: phone.device, of: manifest)
                ? (200, "{}")
                : (
                    403,
                    "Another phone was used as the camera \(phone.device.printable(limit: 60)) when this recording started. Choose another name."
                )
        } catch {
            return (409, error.description)
        }
    }

    private static func notCamera(_ role: String) -> String {
        "This phone was not used as the camera `\(role)` in this recording."
    }

    private static func manifest(in session: ContainedFolder) -> Manifest? {
        do {
            return try Manifest(reading: session.file(Manifest.fileName))
        } catch {
            return nil
        }
    }

    /// Appends a piece if its offset matches the end of the file. Only the first piece creates the file.
    ///
    /// - Returns: Number of bytes that have arrived.
    private func append(
        _ bytes: Data, _ piece: PhonePiece, _ arrival: UploadArrival, in session: ContainedFolder,
        _ manifest: Manifest
    ) throws(FileError) -> Int64 {
        let part = session.file(arrival.file)
        let path = part.path
        let isNew = !part.exists
        if isNew {
            guard !bytes.isEmpty, piece.offset == 0 else { return 0 }
            try checkUploadLimits(for: piece, arrival, in: session, manifest)
        }
        let file =
            isNew
            ? try part.create(O_WRONLY | O_APPEND, permissions: 0o600)
            : try part.openForUpdate(O_WRONLY | O_APPEND)
        // Only one connection per phone may write. An earlier connection of the phone may still be writing a
        // piece.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError(
                path: path, operation: "writing", detail: "another part of this upload is being written.")
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else {
            throw FileError(path: path, operation: "writing", errno: errno)
        }
        let size = Int64(status.st_size)
        guard size <= piece.total else {
            throw FileError(
                path: path, operation: "writing",
                detail: "the upload is larger than the video that the phone saved.")
        }
        guard !bytes.isEmpty, size == piece.offset else { return size }
        var space = statvfs()
        if fstatvfs(file.number, &space) == 0,
            Int64(space.f_bavail) * Int64(space.f_frsize) < Self.reservedSpace + Int64(bytes.count)
        {
            throw FileError(path: path, operation: "writing", errno: ENOSPC)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, operation: "writing", errno: errno) }
            rest = rest.dropFirst(count)
        }
        return size + Int64(bytes.count)
    }

    /// Checks that another upload of the phone doesn't exceed the limits of a recording.
    private func checkUploadLimits(
        for piece: PhonePiece, _ arrival: UploadArrival, in session: ContainedFolder, _ manifest: Manifest
    ) throws(FileError) {
        let path = session.file(arrival.file).path
        let parts = try session.listing(of: "cameras").names.filter {
            $0.hasPrefix("\(piece.role)-phone-") && $0.hasSuffix(".part")
        }
        let finished = manifest.uploads?.count { $0.role == piece.role } ?? 0
        guard parts.count + finished < Self.mostUploads else {
            throw FileError(
                path: path, operation: "creating the file",
                detail:
                    "this recording already has \(Self.mostUploads) uploads from the phone, which is the maximum."
            )
        }
        var arrived: Int64 = 0
        for name in parts {
            var status = stat()
            let file = try session.file("cameras/\(name)").openForReading()
            if fstat(file.number, &status) == 0 { arrived += Int64(status.st_size) }
        }
        guard piece.total <= Self.maxUploadSize - min(arrived, Self.maxUploadSize) else {
            throw FileError(
                path: path, operation: "creating the file",
                detail: "the unfinished uploads from the phone would exceed \(Self.maxUploadSize >> 30) GB.")
        }
    }
}
