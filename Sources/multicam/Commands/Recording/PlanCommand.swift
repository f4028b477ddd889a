import Arguments
import Media
import SessionFolder
import Setup

/// `multicam plan`: shows what a profile would record with the connected devices, without starting any.
struct PlanCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "plan",
        summary: "Show what would run, and what it needs of this computer. Starts nothing.",
        notes: [
            "The hardware cost is what the plan needs of the scarcest resource, before it runs: 1 is all that there is. It tells of "
                + "processor, memory and disk, and of the USB that cameras keep for themselves.",
            "Where that is above the profile's budget, the plan shows what `multicam record` would give up, step by step, and what "
                + "would run then; or why it would refuse, and what would help. The exit status is 0 all the same.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR",
                help: "Where session folders would be made. Default: recordings in this folder."),
            OptionSpec("duration", "T", help: "For how long the disk must have room: 10s, 5m, 2h."),
            OptionSpec(
                "sets",
                help:
                    "Which cameras can run together, each with a track of its own: the profile's, or all that are connected."
            ),
            OptionSpec("json", help: "Print the plan as JSON."),
        ])

    /// The profile and its devices; `nil` for all connected cameras.
    private let request: SetupRequest?
    private let wantsSets: Bool
    private let output: String
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsSets = arguments.flag("sets")
        let namesProfile = arguments.optional("profile") != nil || arguments.flag("virtual")
        let isAboutAll = wantsSets && !namesProfile && arguments.all("camera").isEmpty
        if isAboutAll {
            request = nil
        } else {
            var request = try ProfileOptions.request(arguments)
            request.duration = try arguments.duration()
            self.request = request
        }
        output = arguments.optional("output") ?? "recordings"
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let machine = ThisMachine(output: output)
        guard !wantsSets, let request else {
            let (sets, notes) = try SessionSetup.sets(request, on: machine.model)
            Output.data(
                wantsJSON
                    ? JSONText.line(SetsText.json(sets, notes: notes + machine.notes))
                    : SetsText.lines(sets, notes: notes + machine.notes).joined(separator: "\n"))
            return .done
        }
        let reduction = try SessionSetup.reduction(request, on: machine.model)
        Output.data(
            wantsJSON
                ? JSONText.line(ReductionText.json(reduction, on: machine))
                : (ReductionText.lines(reduction, on: machine) + ReductionText.verdict(reduction)).joined(
                    separator: "\n"))
        return .done
    }
}
