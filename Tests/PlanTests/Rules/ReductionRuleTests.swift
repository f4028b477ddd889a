import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamMonitoring
@testable import MulticamPlan

@Suite("concessions for each shortage")
struct ReductionRuleTests {
    private typealias Plans = SessionPlanTests

    /// A kind of session, defined by the camera tracks it records and by whether it has a program.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case programAlone = ""
        case programAndCopies = "tracks: { cameras: copy }"
        case programAndEncoded = "tracks: { cameras: encode }"

        var testDescription: String { rawValue.isEmpty ? "a program alone" : "a program, \(rawValue)" }
    }

    private static func plan(_ kind: Kind) throws -> SessionPlan {
        let profile = try Plans.profile(
            "cameras: { desk: { size: 1280x720, rate: 30 }, face: { size: 1280x720, rate: 30 } }\n"
                + "program: { layout: pip, main: desk, inset: face }\n\(kind.rawValue)")
        return try SessionPlan(profile: profile, devices: PlanReductionTests.devices(profile))
    }

    /// The rule as a table. It lists the shortages that each kind of reduction relieves in a running session.
    private static let table: [(Kind, ReductionKind, role: String?, MachineResources)] = [
        // Encoder presets and the program relieve the processor in every session.
        (.programAlone, .preset, nil, .processor),
        (.programAndCopies, .preset, nil, .processor),
        (.programAlone, .decoding, nil, .processor),
        (.programAndCopies, .decoding, nil, .processor),
        (.programAlone, .programRate, nil, [.processor, .storage]),
        (.programAndCopies, .programRate, nil, [.processor, .storage]),
        // A program pauses only if it can be rendered again.
        (.programAlone, .programPause, nil, []),
        (.programAndCopies, .programPause, nil, [.processor, .storage]),
        (.programAndEncoded, .programPause, nil, [.processor, .storage]),
        // If only the program is recorded, its cameras are reduced, too. Copied originals are never reduced
        // because of the processor.
        (.programAlone, .cameraRate, "desk", [.processor, .memory, .bus]),
        (.programAlone, .cameraSize, "face", [.processor, .memory, .storage, .bus]),
        (.programAlone, .camera, "face", [.processor, .memory, .storage]),
        (.programAndCopies, .cameraRate, "desk", [.memory, .bus]),
        (.programAndCopies, .cameraSize, "face", [.memory, .storage, .bus]),
        (.programAndCopies, .camera, "face", [.memory, .storage]),
        (.programAndEncoded, .cameraRate, "desk", [.processor, .memory, .bus]),
        // Only a camera that is used just as an inset delivers more pixels than are displayed.
        (.programAlone, .surplusSize, "face", [.processor, .memory, .bus]),
        (.programAlone, .surplusSize, "desk", []),
        (.programAndCopies, .surplusSize, "face", []),
        (.programAndEncoded, .surplusSize, "face", []),
    ]

    @Test("each kind of reduction relieves the shortages in the table", arguments: table.indices)
    func cases(_ index: Int) throws {
        let (kind, concession, role, relief) = Self.table[index]
        let rule = ReductionRule(try Self.plan(kind), isRunning: true)
        #expect(
            rule.savedResources(of: concession, role: role) == relief, "\(kind) \(concession) \(role ?? "")")
    }

    @Test(
        "with copies, a program, and too little processor time, only the program is reduced, and the reason is given"
    )
    func originals() throws {
        let text =
            "cameras: { host: { size: 1280x720, rate: 30 }, guest: { size: 1280x720, rate: 30 } }\n"
            + "program: { layout: pip, main: guest, inset: host, video: { preset: superfast } }\ntracks: { cameras: copy }"
        let profile = try Plans.profile(text)
        let reduction = try PlanReduction(
            of: profile, devices: PlanReductionTests.devices(profile),
            on: HardwareCostTests.machine(processors: 0.2))
        #expect(reduction.plan.cameras.map(\.format) == reduction.requestedPlan.cameras.map(\.format))
        #expect(!reduction.steps.isEmpty && reduction.steps.allSatisfy { $0.step.hasPrefix("program ") })
        #expect(reduction.steps.first?.step == "program preset superfast → balanced")
        #expect(reduction.steps.contains { $0.step.hasPrefix("program rate") })
        #expect(
            reduction.skippedReductions.contains {
                $0.hasPrefix(
                    "guest: copying its frames needs almost no processor time")
            })
    }

    @Test("an overloaded bus reduces its cameras, copied or not, and no part of the program")
    func bus() throws {
        let text =
            "cameras: { host: { size: 1280x720, rate: 30 }, guest: { size: 1280x720, rate: 30 } }\n"
            + "program: { layout: pip, main: guest, inset: host }\ntracks: { cameras: copy }"
        let reduction = try PlanReductionTests.reduce(text) {
            PlanReductionTests.cost(["usb:1": PlanReductionTests.megapixels($0) / 40, "cpu": 0.3])
        }
        #expect(reduction.fits)
        #expect(
            reduction.steps.map(\.step) == ["guest size 1280x720 → 960x540", "guest size 960x540 → 640x480"])
        #expect(reduction.steps[0].reason.contains("guest is the last of the profile's cameras"))
    }

    @Test("an inset without a track is first reduced to its displayed size")
    func surplus() throws {
        let text =
            "cameras: { desk: { size: 1280x720, rate: 30 }, face: { size: 1280x720, rate: 30 } }\n"
            + "program: { layout: pip, main: desk, inset: face, size: 1920x1080, scale: 0.25, video: { preset: ultrafast } }\n"
            + "budget: { floors: { size: 320x180 } }"
        let reduction = try PlanReductionTests.reduce(
            text,
            for: { plan in
                PlanReductionTests.cost(["cpu": PlanReductionTests.megapixels(plan) / 43])
            })
        #expect(
            reduction.steps.map(\.step) == ["face size 1280x720 → 960x540", "face size 960x540 → 640x360"])
        #expect(reduction.fits)
        #expect(
            reduction.steps[1].reason.hasSuffix(
                "face is shown only as a 480x270 inset, which does not need a larger size."))
    }

    @Test(
        "coarse decoding is part of the plan: its layers are decoded at half their size, which costs less"
    )
    func coarse() throws {
        var profile = try Plans.profile(
            "cameras: { desk: { size: 1920x1080, rate: 30 } }\nprogram: { layout: single, main: desk }")
        let devices = PlanReductionTests.devices(profile)
        let fine = try SessionPlan(profile: profile, devices: devices)
        profile.program?.isCoarse = true
        let coarse = try SessionPlan(profile: profile, devices: devices)
        #expect(fine.program?.layers.first?.decodingScale(of: fine.cameras[0]) == .whole)
        let scale = try #require(coarse.program?.layers.first?.decodingScale(of: coarse.cameras[0]))
        #expect(scale.eighths == 4)
        let machine = HardwareCostTests.machine()
        #expect(HardwareCost(of: coarse, on: machine).total < HardwareCost(of: fine, on: machine).total)
        let ladder = GovernorLadder(coarse, offers: [:], floors: coarse.budget, hasPreviews: false).measures
        #expect(!ladder.contains { $0.action == .coarseDecoding })
    }
}
