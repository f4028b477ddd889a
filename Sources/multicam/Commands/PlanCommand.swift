import MulticamArguments
import MulticamMedia
import MulticamPlan
internal import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamSystem

/// `multicam plan`: shows how a profile would be recorded with the connected devices, without starting any
/// device.
struct PlanCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "plan",
        summary: "Show the plan of a recording and its hardware cost without recording.",
        notes: [
            "The hardware cost is the estimated utilization of the plan's most heavily used resource; 1.0 is its full capacity. "
                + "It covers the processor, memory, the disk, and the USB bandwidth that cameras reserve.",
            "If the cost is above the profile's budget, the output lists each reduction that `multicam record` would make and the resulting plan, "
                + "or the reason for a refusal and possible remedies. "
                + "The exit status is 0 in both cases.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR",
                help: "Output folder of the recordings. Default: `./recordings`."),
            OptionSpec(
                "duration", "T",
                help: "Recording duration for the disk space estimate, such as 10s, 5m, or 2h."),
            OptionSpec(
                "sets",
                help:
                    "List the sets of cameras that can record separate tracks together, from the profile or from all connected cameras."
            ),
            OptionSpec("no-load", help: "Don't measure the load of other programs, which takes up to 0.4 s."),
            OptionSpec("json", help: "Print the plan as JSON."),
        ])

    /// The profile and its devices; `nil` to plan for all connected cameras.
    private let request: SessionConfiguration?
    private let wantsSets: Bool
    private let output: String
    private let wantsJSON: Bool
    private let measuresLoad: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        measuresLoad = !arguments.flag("no-load")
        wantsSets = arguments.flag("sets")
        let namesProfile = ["profile", "virtual", "virtual-pattern"].contains { arguments.flag($0) }
        let isAboutAll = wantsSets && !namesProfile && arguments.all("camera").isEmpty
        if isAboutAll {
            request = nil
        } else {
            var request = try ProfileOptions.request(arguments)
            request.recording.duration = try arguments.duration()
            self.request = request
        }
        output = arguments.optional("output") ?? "recordings"
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let (start, startTime) = (measuresLoad ? ProcessorUse() : nil, MonotonicClock().now)
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
        let others = try await MediaThread.run(named: "use") {
            ProcessorUse.shareOfOtherPrograms(since: start, at: startTime)
        }
        Output.data(
            wantsJSON
                ? JSONText.line(ReductionText.json(reduction, on: machine, besides: others))
                : (ReductionText.lines(reduction, on: machine) + ReductionText.load(others)
                    + ReductionText.verdict(reduction)).joined(separator: "\n"))
        return .done
    }
}

/// Formats the sets of cameras that can run together as text and as JSON.
enum SetsText {
    static func lines(_ sets: CameraSets, notes: [String]) -> [String] {
        var lines: [String] = []
        if sets.groups.isEmpty, sets.unusableCameras.isEmpty {
            lines.append(
                "No camera is connected. To try virtual cameras, run `multicam plan --sets --profile interview --virtual`."
            )
        }
        for (index, group) in sets.groups.enumerated() {
            let count = group.members.count
            lines.append(
                "set \(index + 1): \(count == 1 ? "1 camera" : "\(count) cameras together"), cost "
                    + HardwareCost.hundredths(group.cost.total)
                    + (group.cost.terms.first.map { ", limited by \($0.resource)" } ?? ""))
            for member in group.members {
                let limit =
                    member.limit.map { "a better format would exceed \($0)" } ?? "the camera's best format"
                let doubt =
                    member.isAssumed
                    ? "; its USB bandwidth is an estimate until the camera has streamed once" : ""
                lines.append("  \(member.name.printable()): \(member.format), \(limit)\(doubt)")
            }
        }
        if !sets.exclusions.isEmpty { lines += ["", "cameras that can't be used together"] }
        lines += sets.exclusions.map {
            "  \($0.first.printable()) and \($0.second.printable()): \($0.resource.printable()) "
                + HardwareCost.hundredths($0.cost)
        }
        if !sets.unusableCameras.isEmpty { lines += ["", "unusable cameras"] }
        lines += sets.unusableCameras.map { "  \($0.name.printable()): \($0.reason.printable(limit: 1000))" }
        if !sets.isComplete {
            lines += ["", "There are too many combinations to check. Specify fewer cameras."]
        }
        return lines + notes.map { "note: \($0.printable(limit: 1000))" }
    }

    static func json(_ sets: CameraSets, notes: [String]) -> JSONValue {
        .object([
            "sets": .array(sets.groups.map(json)),
            "exclusions": .array(
                sets.exclusions.map {
                    .object([
                        "cameras": .array([.string($0.first.printable()), .string($0.second.printable())]),
                        "resource": .string($0.resource.printable()), "used": .number($0.cost),
                    ])
                }),
            "impossible": .array(
                sets.unusableCameras.map {
                    .object([
                        "camera": .string($0.name.printable()),
                        "reason": .string($0.reason.printable(limit: 1000)),
                    ])
                }),
            "complete": .boolean(sets.isComplete),
            "notes": .array(notes.map { .string($0.printable(limit: 1000)) }),
        ])
    }

    private static func json(_ group: CameraSets.Group) -> JSONValue {
        .object([
            "cost": CostText.json(group.cost, notes: []),
            "cameras": .array(
                group.members.map { member in
                    .object([
                        "name": .string(member.name.printable()),
                        "format": .object([
                            "pixel": .string(member.format.pixel.rawValue),
                            "width": .integer(Int64(member.format.size.width)),
                            "height": .integer(Int64(member.format.size.height)),
                            "rate": .number(member.format.rate.perSecond),
                        ]),
                        "limit": member.limit.map { .string($0) } ?? .null,
                        "assumed": .boolean(member.isAssumed),
                    ])
                }),
        ])
    }
}
