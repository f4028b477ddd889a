import FoundationEssentials
import MulticamArguments
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder
import MulticamSetup

/// `multicam profiles`: lists, shows, and checks profiles.
struct ProfilesCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "profiles",
        summary: "List profiles, show one, or check a profile file.",
        positionals: [
            PositionalSpec("NAME", isOptional: true, kind: .profile, help: "Name of the profile to show.")
        ],
        options: [
            OptionSpec("check", "FILE", help: "Check a profile file and report its errors."),
            OptionSpec(
                "with-file", "FILE",
                help: "List this profile file, too. It replaces a profile with the same name."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private enum Task: Sendable {
        case list(withFile: String?)
        case show(String)
        case check(String)
    }

    private let task: Task
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        switch (arguments.positionals.first, arguments.optional("check")) {
        case (nil, nil): task = .list(withFile: arguments.optional("with-file"))
        case (let name?, nil): task = .show(name)
        case (nil, let file?): task = .check(file)
        case (_?, _?):
            throw arguments.spec.error("NAME and `--check FILE` can't be combined. Use only one of them.")
        }
    }

    func run() async throws -> ExitStatus {
        let library = SessionSetup.library
        switch task {
        case .list(let file): list(library.list(withFile: file), library)
        case .show(let name): try show(name, library)
        case .check(let file):
            let profile = try ProfileLibrary.read(file)
            if wantsJSON {
                Output.data(
                    JSONText.line(JSONValue.object(["file": .string(file), "valid": .boolean(true)])))
            } else {
                let text = profile.description.isEmpty ? "" : " (\(profile.description.printable()))"
                Output.message("\(file.printable(limit: 1000)): no errors found\(text).")
            }
        }
        return .done
    }

    private func list(_ entries: [ProfileLibrary.Entry], _ library: ProfileLibrary) {
        if wantsJSON {
            let values = entries.map { entry in
                JSONValue.object([
                    "name": .string(entry.name.printable()),
                    "description": .string(entry.description.printable()),
                    "file": entry.path.map { .string($0.printable(limit: 4096)) } ?? .null,
                    "own": .boolean(entry.path.map { isOwn($0, library) } ?? false),
                    "layout": entry.profile?.program.map { .string($0.layout.rawValue) } ?? .null,
                    "shown": .integer(Int64(entry.profile?.program?.shown.count ?? 0)),
                    "cameras": .integer(Int64(entry.profile?.cameras.count ?? 0)),
                    "problem": entry.problem.map { .string($0.description) } ?? .null,
                ])
            }
            Output.data(JSONText.line(JSONValue.object(["profiles": .array(values)])))
            return
        }
        let width = entries.map(\.name.count).max() ?? 0
        for entry in entries {
            let padding = String(repeating: " ", count: width - entry.name.count + 2)
            let text = entry.problem.map { "can't be used: \($0)" } ?? entry.description.printable()
            Output.data("\(entry.name.printable())\(padding)\(text)")
        }
    }

    /// Returns whether a file is in the folder that contains the user's own profiles.
    private func isOwn(_ path: String, _ library: ProfileLibrary) -> Bool {
        library.ownFolder.map { path.hasPrefix($0 + "/") } ?? false
    }

    private func show(_ name: String, _ library: ProfileLibrary) throws {
        let found = try library.text(of: name)
        let profile = try found.profile()
        // The profile was already checked, so it is valid UTF-8.
        let text = String(decoding: found.bytes, as: UTF8.self)
        if wantsJSON {
            Output.data(
                JSONText.line(
                    JSONValue.object([
                        "name": .string(profile.name), "description": .string(profile.description),
                        "file": found.path.map { .string($0) } ?? .null,
                        "cameras": .array(profile.cameras.map { .string($0.role) }),
                        "microphones": .array(profile.microphones.map { .string($0.role) }),
                        "program": .boolean(profile.program != nil), "text": .string(text),
                    ])))
        } else {
            // Tabs and line endings of the file are printed. Other control characters are removed, because
            // they could affect the terminal.
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            Output.data(lines.map { String($0).printable(limit: 4096) }.joined(separator: "\n"))
        }
    }
}
