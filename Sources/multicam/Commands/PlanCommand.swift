import Arguments
import Media
import MulticamKit
import Session

/// `multicam plan`: says what a profile would record on the devices at hand, without starting any.
struct PlanCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "plan",
        summary: "Show what would run: devices, formats, tracks. Starts nothing.",
        options: ProfileOptions.specs + [OptionSpec("json", help: "Print the plan as JSON.")])

    private let request: SetupRequest
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try ProfileOptions.request(arguments)
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let plan = try SessionSetup.plan(request)
        Output.data(wantsJSON ? JSONText.line(PlanJSON.of(plan)) : PlanText.of(plan))
        return .done
    }
}
