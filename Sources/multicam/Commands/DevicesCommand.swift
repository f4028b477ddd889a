import Arguments
import Media
import MulticamKit
import Session

/// `multicam devices`: lists cameras and microphones.
struct DevicesCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "devices",
        summary: "List cameras and microphones with their formats and problems.",
        options: [OptionSpec("json", help: "Print JSON.")])

    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let listing = DeviceListing()
        Output.data(wantsJSON ? JSONText.line(DevicesText.json(listing)) : DevicesText.of(listing))
        for problem in listing.problems { Output.message(problem.description) }
        if listing.cameras.isEmpty, !wantsJSON {
            Output.message(
                "no camera is connected. Try `multicam record --profile pip --virtual --duration 10`.")
        }
        return .done
    }
}
