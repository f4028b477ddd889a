internal import Control
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// Does what pages order: mostly by running `multicam` itself, so that a page can do no more than its words. Safe to use from any
/// thread; each task blocks its thread.
package struct StudioDesk: Sendable {
    let plan: StudioPlan

    /// The nice value of the programs that do tasks: a recording goes first, and somebody waits.
    private static let lowPriority: Int32 = 10
    /// Most bytes of a profile that a page may send.
    private static let longestProfile = 1 << 17

    /// Does a task.
    ///
    /// - Returns: JSON when it was done, else a sentence.
    func perform(_ order: SupervisorLine.Order) -> Outcome {
        switch order.task {
        case .plan: run(["plan", "--json"] + plan.choice + plan.folder)
        case .devices: run(["devices", "--json"])
        case .doctor: run(["doctor", "--json"])
        case .group: groups()
        case .calibration: run(["calibrate", "--show", "--json"])
        case .profiles: run(["profiles", "--json"])
        case .recordings: run(["recordings", "--json"] + plan.folder)
        case .profile: profile(order.name)
        case .check: check(order.text ?? "")
        case .keep: keep(order.name, order.text ?? "")
        case .store: store(order.piece, of: order.name)
        case .use, .start, .job, .cancel: (409, "The supervisor does that itself.")
        }
    }

    /// What became of a task: HTTP's status, and JSON when that is 200, else a sentence.
    typealias Outcome = (status: Int, output: String)

    static let noName: Outcome = (400, "A profile's name has letters, digits, - and _, at most 64.")
    static let noFolder: Outcome = (404, "No recording of that name is there.")

    /// Whether a text can be a profile's name: it becomes a file's.
    package static func isName(_ name: String?) -> Bool {
        guard let name else { return false }
        return (1...64).contains(name.utf8.count) && name.isPlain && !name.hasPrefix("-")
    }

    /// Whether a text can be the name of a session folder: an entry of the output folder, never a path.
    package static func isFolder(_ name: String?) -> Bool {
        guard let name, (1...255).contains(name.utf8.count), name != ".", name != "..", !name.hasPrefix("-")
        else { return false }
        return !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    // MARK: Profiles

    /// A profile's text.
    func profile(_ name: String?) -> Outcome {
        guard Self.isName(name), let name else { return (404, Self.noName.output) }
        let told = run(["profiles", name, "--json"])
        return told.status == 200 ? told : (404, told.output)
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

    /// Checks a profile's text, and plans it.
    private func check(_ text: String) -> Outcome {
        guard text.utf8.count <= Self.longestProfile else {
            return (413, "A profile has at most \(Self.longestProfile) bytes.")
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
            of: plan.program, ["plan", "--json", "--profile", file] + plan.devices + plan.folder)
        guard let json = planned.lines.first else {
            let words = planned.messages.map { $0.replacing(file, with: "the profile") }.joined(
                separator: " ")
            return (200, JSONText.line(Checked(ok: true, errors: [], plan_error: Self.sentence(words))))
        }
        return (200, #"{"ok":true,"errors":[],"plan":\#(json)}"#)
    }

    /// Takes a line of the checker apart: `multicam: FILE:LINE:COLUMN: PATH: TEXT`.
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

    /// Keeps a profile among the user's own, when nothing is wrong with it.
    private func keep(_ name: String?, _ text: String) -> Outcome {
        guard Self.isName(name), let name else { return Self.noName }
        guard let folder = plan.profileFolder else {
            return (409, "Neither XDG_CONFIG_HOME nor HOME names a folder for profiles. Set one of them.")
        }
        let checked = check(text)
        guard checked.status == 200 else { return checked }
        guard checked.output.contains(#""ok":true"#) else {
            return (409, "The profile has faults and is not kept.")
        }
        do throws(FileError) {
            try FolderCreation.make(folder)
            try FileReplacement.write(Array(text.utf8), to: "\(folder)/\(name).yaml", syncsFolder: true)
        } catch {
            return (409, "\(error)")
        }
        return (
            200,
            JSONText.line(["ok": JSONValue.boolean(true), "text": .string("kept as \(folder)/\(name).yaml")])
        )
    }

    // MARK: Groups

    private struct Groups: Encodable {
        let ok = true
        /// CLOCK_MONOTONIC, to which the files' times belong.
        var now_ns: Int64
        var groups: [JSONValue]
    }

    /// Most bytes of what is heard of a group.
    private static let longestGroup = 1 << 20

    /// What is heard of the nodes of this computer's groups, from the files of the programs that hear it.
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
                // It is none of ours.
            }
        }
        found.now_ns = MonotonicClock().now.nanoseconds
        return (200, JSONText.line(found))
    }

    // MARK: Recordings

    func path(_ folder: String) -> String { "\(plan.recordings)/\(folder)" }

    // MARK: Programs

    func run(_ arguments: [String]) -> Outcome {
        let result = Self.output(of: plan.program, arguments)
        if !result.lines.isEmpty { return (200, result.lines.joined(separator: "\n")) }
        let words = result.messages.map(Self.sentence).joined(separator: " ")
        return (409, words.isEmpty ? "The program ended with exit status \(result.status)." : words)
    }

    /// A message without the program's name before it.
    static func sentence(_ line: String) -> String {
        let prefix = "multicam: "
        return (line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line).printable(limit: 2000)
    }

    /// What a program wrote until it ended.
    private struct ProgramOutput: Sendable {
        var lines: [String] = []
        var messages: [String] = []
        var status: Int32 = 1
        var ended = 0
    }

    private static func output(of program: String, _ arguments: [String]) -> ProgramOutput {
        do throws(StudioError) {
            let child = try ChildProcess.started(program, arguments)
            child.finish()
            JobBoard.stepBack(child.process, to: lowPriority)
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
