import FoundationEssentials
import MulticamArguments
import MulticamControl
import MulticamKit
import MulticamMedia
import MulticamProfiles
import MulticamSetup

/// Implements `multicam complete -- WORD…`, which the completion scripts for bash, zsh, and fish call to
/// complete a command line.
///
/// Each proposal is one line with the complete word, optionally followed by a tab and a description. The line
/// `:files` or `:folders` asks the shell to complete file or folder names. If proposals can't be determined,
/// they are omitted without an error.
struct Completions {
    private let spec: CommandSpec
    private let words: [String]
    private let defaultProfile: String?

    /// Returns the lines to print for a command line.
    ///
    /// - Parameters:
    ///   - words: The words after `multicam`. The last word may be incomplete.
    ///   - commands: All commands.
    ///   - defaultProfiles: The default profile of each command, by command name.
    /// - Returns: The possible completions of the last word, one per line.
    static func lines(
        for words: [String], of commands: [CommandSpec], defaultProfiles: [String: String]
    ) -> [String] {
        let typed = words.last ?? ""
        guard let first = words.first, words.count > 1 else {
            let proposals =
                commands.map { CompletionContext.Proposal($0.name, $0.summary) } + [
                    CompletionContext.Proposal("help", "Show the help of a command."),
                    CompletionContext.Proposal("--help"), CompletionContext.Proposal("--version"),
                ]
            return lines(of: proposals, typed)
        }
        if first == "help", words.count == 2 {
            return lines(of: commands.map { CompletionContext.Proposal($0.name, $0.summary) }, typed)
        }
        guard let spec = commands.first(where: { $0.name == first }) else { return [] }
        let completions = Self(
            spec: spec, words: Array(words.dropFirst()), defaultProfile: defaultProfiles[first])
        return completions.lines
    }

    private var lines: [String] {
        let typed = words.last ?? ""
        switch spec.completionContext(in: words) {
        case .nothing: return []
        case .option(let options): return Self.lines(of: options, typed)
        case .value(let kind, let before, let typed):
            let proposals = proposals(of: kind, typed, after: []).map {
                CompletionContext.Proposal(before + $0.word, $0.help)
            }
            return Self.names(of: kind, besides: Self.lines(of: proposals, before + typed))
        case .word(let kind, let after, let options):
            let proposals = Self.lines(of: proposals(of: kind, typed, after: after), typed)
            return Self.names(of: kind, besides: proposals) + Self.lines(of: options, typed)
        }
    }

    private static func lines(of proposals: [CompletionContext.Proposal], _ typed: String) -> [String] {
        proposals.filter { $0.word.hasPrefix(typed) && $0.word.printable(limit: 1000) == $0.word }.map {
            $0.help.isEmpty ? $0.word : "\($0.word)\t\($0.help.printable(limit: 200))"
        }
    }

    /// Returns the proposals. If there are none and the value can be a file or folder, returns the line that
    /// asks the shell to complete names.
    private static func names(of kind: ValueKind, besides proposals: [String]) -> [String] {
        guard proposals.isEmpty else { return proposals }
        return switch kind {
        case .file, .profile, .keywords(_, orFile: true): [":files"]
        case .folder, .recording: [":folders"]
        default: []
        }
    }

    private func proposals(
        of kind: ValueKind, _ typed: String, after: [String]
    ) -> [CompletionContext.Proposal] {
        switch kind {
        case .text, .file, .folder: []
        case .keywords(let words, _): words.map { CompletionContext.Proposal($0) }
        case .profile:
            SessionSetup.library.list().map { CompletionContext.Proposal($0.name, $0.description) }
        case .recording: recordings(typed)
        case .camera: devices(DeviceListing.presentCameras())
        case .device: devices(DeviceListing.presentCameras() + DeviceListing.presentMicrophones())
        case .role: roles.map { CompletionContext.Proposal($0) }
        case .cameraOfRole: pairs(cameraRoles, typed) { cameraSelectors }
        case .microphoneOfRole: pairs(microphoneRoles, typed) { microphoneSelectors }
        case .control: controls(after, typed)
        }
    }

    // MARK: Devices and roles

    private func devices(_ devices: [(selector: String, name: String)]) -> [CompletionContext.Proposal] {
        devices.map { CompletionContext.Proposal($0.selector, $0.name) }
    }

    private var cameraSelectors: [CompletionContext.Proposal] {
        devices(DeviceListing.presentCameras()) + [
            CompletionContext.Proposal("any", "the preferred available camera"),
            CompletionContext.Proposal("remembered", "the last camera used for this role"),
            CompletionContext.Proposal("virtual:clap", "a moving test pattern with a clap every second"),
            CompletionContext.Proposal("virtual:people", "a drawn person who speaks and listens in turns"),
            CompletionContext.Proposal("virtual:bars", "color bars"),
        ]
    }

    private var microphoneSelectors: [CompletionContext.Proposal] {
        devices(DeviceListing.presentMicrophones()) + [
            CompletionContext.Proposal("default", "the preferred microphone"),
            CompletionContext.Proposal("remembered", "the last microphone used for this role"),
            CompletionContext.Proposal("virtual:clap", "a beep every second"),
            CompletionContext.Proposal("virtual:people", "synthesized speech of several people"),
        ]
    }

    /// Proposes roles followed by `=`. After the `=`, proposes selectors.
    private func pairs(
        _ roles: [String], _ typed: String, _ selectors: () -> [CompletionContext.Proposal]
    ) -> [CompletionContext.Proposal] {
        guard let end = typed.firstIndex(of: "=") else {
            return roles.map { CompletionContext.Proposal("\($0)=") }
        }
        return selectors().map { CompletionContext.Proposal("\(typed[...end])\($0.word)", $0.help) }
    }

    /// The profile that the command line names, or the default profile of the command; `nil` if no profile
    /// can be read.
    private var profile: Profile? {
        guard let name = spec.values(of: "profile", in: words).last ?? defaultProfile else { return nil }
        do throws(ProfileError) {
            return try SessionSetup.library.load(name)
        } catch {
            return nil
        }
    }

    private var cameraRoles: [String] { profile?.cameras.map(\.role) ?? [] }
    private var microphoneRoles: [String] { profile?.microphones.map(\.role) ?? [] }

    /// Roles of the profile that the command line names, or otherwise of the running session.
    private var roles: [String] {
        if let profile { return profile.cameras.map(\.role) + profile.microphones.map(\.role) }
        guard let status = runningSession else { return [] }
        return status.cameras.map(\.role) + status.microphones.map(\.role)
    }

    private var runningSession: ControlStatus? {
        let named = spec.values(of: "process", in: words).last.flatMap { Int32($0) }
        let client = ControlClient()
        do throws(ControlError) {
            if let named { return client.status(of: named) }
            return try client.processes().first.flatMap { client.status(of: $0) }
        } catch {
            return nil
        }
    }

    // MARK: Recordings

    /// Proposes the session folders in the folder that the user has typed. If no folder was typed, session
    /// folders in `recordings` are also proposed.
    private func recordings(_ typed: String) -> [CompletionContext.Proposal] {
        let parent = typed.lastIndex(of: "/").map { String(typed[...$0]) }
        return (parent.map { [$0] } ?? ["recordings/", ""]).flatMap { parent in
            let path = parent.isEmpty ? "." : parent
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: path).sorted(by: >)
            } catch {
                return [CompletionContext.Proposal]()
            }
            return names.prefix(Self.maxNames).filter { name in
                ["manifest.json", "events.ndjson"].contains {
                    FileManager.default.fileExists(atPath: "\(path)/\(name)/\($0)")
                }
            }.map { CompletionContext.Proposal(parent + $0) }
        }
    }

    /// Maximum number of folder entries that are examined. The limit keeps completion fast.
    private static let maxNames = 1000

    // MARK: Commands for a running session

    /// Proposes the commands of `multicam ctl`. After a command, proposes arguments according to the
    /// command's syntax, such as `show ROLE…` or `mirror ROLE on|off`.
    private func controls(_ after: [String], _ typed: String) -> [CompletionContext.Proposal] {
        guard let name = after.first else {
            return SessionCommand.all.map { CompletionContext.Proposal($0.name, $0.help) }
        }
        guard let command = SessionCommand.all.first(where: { $0.name == name }) else { return [] }
        let parts = Self.parts(of: command.arguments)
        let isOpenEnded = parts.last?.hasSuffix("…") ?? false
        guard after.count - 1 < parts.count || isOpenEnded, let last = parts.last else { return [] }
        let part = after.count - 1 < parts.count ? parts[after.count - 1] : last
        let word = part.filter { $0 != "…" }
        switch word {
        case "ROLE": return roles.map { CompletionContext.Proposal($0) }
        case "CAMERA" where name == "match": return roles.map { CompletionContext.Proposal($0) }
        case "CAMERA": return cameraSelectors
        case "MICROPHONE": return microphoneSelectors
        case "LAYOUT": return ProgramLayout.names.map { CompletionContext.Proposal($0) }
        case "CORNER": return InsetStyle.Corner.allCases.map { CompletionContext.Proposal($0.rawValue) }
        case "DEGREES": return ["0", "90", "180", "270"].map { CompletionContext.Proposal($0) }
        case "NAME" where name.hasSuffix("scene"):
            return (runningSession?.scenes ?? []).map { CompletionContext.Proposal($0) }
        case _ where word.contains("|"):
            return word.split(separator: "|").map { CompletionContext.Proposal(String($0)) }
        default: return []
        }
    }

    /// Splits the syntax of a command's arguments into words, and removes the brackets around optional words.
    private static func parts(of arguments: String) -> [String] {
        arguments.split(separator: " ").map { $0.filter { $0 != "[" && $0 != "]" } }
    }
}
