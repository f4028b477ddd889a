import MulticamArguments
import MulticamDoctor
import MulticamMedia
internal import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup

/// `multicam doctor`: checks for causes of recording failures and explains how to fix them.
struct DoctorCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "doctor",
        summary: "Check cameras, USB, audio, and disk, and suggest fixes.",
        notes: [
            "This command doesn't change anything. "
                + "Each finding is marked as ok, warning, problem, or not checked. If something was not checked, the reason is given. "
                + "The line below a finding shows how to fix it.",
            "With --profile, the command checks only what the profile needs: a profile without cameras and microphones of this computer "
                + "needs no camera and no sound server. It also checks whether the virtual cameras for the profile's live outputs exist.",
            "Exit status: 0 if no problems were found, even if there are warnings; 1 if problems were found.",
        ],
        options: [
            OptionSpec(
                "output", "DIR", help: "Output folder of the recordings. Default: the current folder.")
        ] + ProfileOptions.specs + [OptionSpec("json", help: "Print JSON.")])

    private let output: String
    /// The profile and its devices; `nil` to check the computer without a profile.
    private let request: SessionConfiguration?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        output = arguments.optional("output") ?? "."
        let names = ProfileOptions.specs.map(\.name)
        request = names.contains { arguments.flag($0) } ? try ProfileOptions.request(arguments) : nil
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let profile: Profile?
        var profileError: ProfileError?
        do throws(SetupError) {
            profile = try request.map { request throws(SetupError) in try SessionSetup.profile(of: request) }
        } catch {
            guard case .profile(let found) = error else { throw error }
            (profile, profileError) = (nil, found)
        }
        let examination = DoctorReport(
            output: output, profileError: profileError?.description, publishingTo: profile.map(nodes) ?? [],
            needsCamera: profile?.cameras.contains { SessionSetup.isLocal($0.device) } ?? true,
            needsMicrophone: profile?.microphones.contains { SessionSetup.isLocal($0.device) } ?? true)
        Output.data(
            wantsJSON
                ? JSONText.line(DoctorText.json(examination.findings))
                : DoctorText.of(examination.findings, isColored: Output.showsColor))
        return examination.isHealthy ? .done : .failed
    }

    /// Returns the device nodes of the virtual cameras that the profile uses as live outputs.
    private func nodes(_ profile: Profile) -> [String] {
        profile.liveOutputs.compactMap { liveOutput in
            guard case .inline(let address) = liveOutput.address, address.kind == .v4l2 else { return nil }
            return address.path
        }
    }
}

/// Formats the findings of `multicam doctor` as text and as JSON.
enum DoctorText {
    private static let groups = [
        ("profile", "Profile"), ("camera", "Cameras"), ("driver", "Camera driver"), ("usb", "USB"),
        ("sound", "Sound"),
        ("storage", "Storage"), ("system", "Computer"), ("log", "Kernel log"),
    ]

    static func of(_ findings: [Finding], isColored: Bool) -> String {
        var lines: [String] = []
        for (group, title) in groups {
            let own = findings.filter { $0.group == group }
            if !own.isEmpty { lines.append(title) }
            for finding in own {
                let place = finding.device.map { "\($0): " } ?? ""
                lines.append("  \(word(finding.level, isColored)) \(place)\(finding.text)")
                if let command = finding.repairCommand { lines.append("                fix: \(command)") }
            }
        }
        return (lines + ["", summary(findings)]).joined(separator: "\n")
    }

    static func json(_ findings: [Finding]) -> JSONValue {
        .object(["findings": .array(findings.map(json))])
    }

    private static func json(_ finding: Finding) -> JSONValue {
        .object([
            "check": .string(finding.check), "level": .string(finding.level.rawValue),
            "device": finding.device.map { .string($0) } ?? .null, "text": .string(finding.text),
            "remedy_command": finding.repairCommand.map { .string($0) } ?? .null,
        ])
    }

    private static func word(_ level: Finding.Level, _ isColored: Bool) -> String {
        let (word, color) =
            switch level {
            case .ok: ("✓ ok         ", 32)
            case .warning: ("! warning    ", 33)
            case .problem: ("✗ problem    ", 31)
            case .unknown: ("? not checked", 36)
            }
        return isColored ? "\u{1B}[\(color)m\(word)\u{1B}[0m" : word
    }

    private static func summary(_ findings: [Finding]) -> String {
        func count(_ level: Finding.Level, _ one: String, _ several: String) -> String? {
            let number = findings.count { $0.level == level }
            return number == 0 ? nil : "\(number) \(number == 1 ? one : several)"
        }
        let counts = [
            count(.problem, "problem", "problems"), count(.warning, "warning", "warnings"),
            count(.unknown, "not checked", "not checked"),
        ].compactMap { $0 }
        return counts.isEmpty ? "no problems found" : counts.joined(separator: ", ")
    }
}
