import Arguments
import Doctor
import Media
internal import Profiles
import SessionFolder
import Setup

/// `multicam doctor`: looks for what makes recordings fail, and says how to repair it.
struct DoctorCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "doctor",
        summary: "Check cameras, USB, audio and disk, and say how to mend what is wrong.",
        notes: [
            "Changes nothing. Each finding is ok, a warning, a problem, or not checked with the reason; the line below it is "
                + "the command that mends it.",
            "Exit status: 0 when there is no problem (warnings may be), 1 when there is one.",
        ],
        options: [
            OptionSpec("output", "DIR", help: "The folder that recordings will go to (the current one)."),
            OptionSpec(
                "profile", "P",
                help:
                    "A profile's name or its file: whether the virtual cameras that it publishes to are there."
            ),
            OptionSpec("json", help: "Print JSON."),
        ])

    private let output: String
    private let profile: String?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        output = arguments.optional("output") ?? "."
        profile = arguments.optional("profile")
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let examination = Examination(output: output, publishingTo: try nodes())
        Output.data(
            wantsJSON
                ? JSONText.line(DoctorText.json(examination.findings))
                : DoctorText.of(examination.findings, isColored: Output.showsColor))
        return examination.isHealthy ? .done : .failed
    }

    /// Nodes of the virtual cameras to which the profile publishes.
    private func nodes() throws -> [String] {
        guard let profile else { return [] }
        let read = try SessionSetup.read(SetupRequest(profile: profile))
        return (read.readProfile?.publications ?? []).compactMap { publication in
            guard case .given(let address) = publication.address, address.kind == .v4l2 else { return nil }
            return address.path
        }
    }
}
