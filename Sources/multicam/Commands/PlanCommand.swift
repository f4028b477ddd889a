import Arguments
import Media
import MulticamKit
import Session

/// `multicam plan`: says what a profile would record on the devices at hand, without starting any.
struct PlanCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "plan",
        summary: "Show what would run, and what it needs of this computer. Starts nothing.",
        notes: [
            "The hardware cost is what the plan needs of the scarcest resource, before it runs: 1 is all that there is. It tells of "
                + "processor, memory and disk; what cameras keep of their USB is not counted yet."
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR",
                help: "Where session folders would be made. Default: recordings in this folder."),
            OptionSpec("duration", "T", help: "For how long the disk must have room: 10s, 5m, 2h."),
            OptionSpec("json", help: "Print the plan as JSON."),
        ])

    private let request: SetupRequest
    private let output: String
    private let duration: Nanoseconds?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try ProfileOptions.request(arguments)
        output = arguments.optional("output") ?? "recordings"
        duration = try arguments.duration()
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let plan = try SessionSetup.plan(request)
        let machine = ThisMachine(output: output)
        let cost = HardwareCost(of: plan, on: machine.model, duration: duration)
        Output.data(
            wantsJSON
                ? JSONText.line(PlanJSON.of(plan, cost: cost, notes: machine.notes))
                : ([PlanText.of(plan)] + CostText.lines(cost, notes: machine.notes)).joined(separator: "\n"))
        return .done
    }
}
