import MulticamMedia
import Testing

@testable import MulticamMonitoring
@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("Encoders of a plan's streams")
struct EncoderAssignmentTests {
    private static let card = HardwareEncoder(
        library: "h264_vaapi", node: "/dev/dri/renderD128", device: "amdgpu", driver: "amdgpu 6.1")
    private static let chip = HardwareEncoder(
        library: "h264_v4l2m2m", node: "/dev/video11", device: "chip", driver: "chip 6.1")

    private static func works(
        _ encoder: HardwareEncoder, streams: Int = 4, pixelsPerSecond: Double = 250e6
    ) -> TriedEncoder {
        TriedEncoder(
            encoder: encoder,
            outcome: .works(
                figures: EncoderFigures(
                    sizes: [SessionPlanTests.hd, SessionPlanTests.fullHD], pixelsPerSecond: pixelsPerSecond,
                    streams: streams,
                    processor: CostTable.Entry(nanosecondsPerPiece: 100_000, nanosecondsPerUnit: 0.5),
                    lowestPSNR: 36, lacksColorTags: false)))
    }

    private static func plan(
        _ encoders: [TriedEncoder], program: String = "1920x1080", requestedEncoder: String = "auto"
    ) throws(ProfileError) -> SessionPlan {
        let profile = try SessionPlanTests.profile(
            """
            cameras:
              desk: { device: any, size: 1280x720, rate: 30 }
              face: { device: any, size: 640x480, rate: 30 }
            program: { size: \(program), rate: 30, layout: pip, main: desk, inset: face, video: { encoder: \(requestedEncoder) } }
            tracks: { cameras: encode }
            """)
        return try SessionPlan(
            profile: profile,
            devices: ["desk": SessionPlanTests.synthetic(), "face": SessionPlanTests.synthetic()],
            encoders: encoders)
    }

    /// Returns the encoder of `program`, then that of each track; `nil` stands for x264.
    private static func encoders(of plan: SessionPlan) -> [String?] {
        plan.encoders.map { $0.settings.hardware?.library }
    }

    @Test("the first encoder with a passed test and free capacity gets the program, then the tracks")
    func order() throws {
        let plan = try Self.plan([
            TriedEncoder(encoder: Self.chip, outcome: .fails(reason: "the chip lost frames.")),
            Self.works(Self.card),
        ])
        #expect(Self.encoders(of: plan) == ["h264_vaapi", "h264_vaapi", "h264_vaapi"])
        #expect(
            plan.notes.contains(
                "program: encoded by h264_vaapi on /dev/dri/renderD128. amdgpu passed the encoder test on this computer."
            ))
    }

    @Test(
        "a stream beyond the capacity of one encoder goes to the next, or to x264 with the reason",
        arguments: [
            (
                [works(card, streams: 1), works(chip, streams: 1)], ["h264_vaapi", "h264_v4l2m2m", nil],
                "1 stream at a time"
            ),
            (
                [works(card, pixelsPerSecond: 80e6)], ["h264_vaapi", nil, "h264_vaapi"],
                "not have enough capacity for another 1280x720 stream at 30 fps"
            ),
            (
                [works(card, pixelsPerSecond: 60e6)], [nil, "h264_vaapi", "h264_vaapi"],
                "not have enough capacity for another 1920x1080 stream at 30 fps"
            ),
            (
                [TriedEncoder(encoder: card, outcome: .fails(reason: "the card lost frames."))],
                [nil, nil, nil],
                "the card lost frames."
            ),
        ] as [([TriedEncoder], [String?], String)])
    func room(_ tried: [TriedEncoder], _ expected: [String?], _ reason: String) throws {
        let plan = try Self.plan(tried)
        #expect(Self.encoders(of: plan) == expected)
        #expect(
            plan.notes.contains { $0.contains("encoded by x264") && $0.contains(reason) }, "\(plan.notes)")
    }

    @Test("frames larger than in its test are not assigned to an encoder")
    func size() throws {
        let plan = try Self.plan([Self.works(Self.card)], program: "1080x1920")
        #expect(Self.encoders(of: plan) == [nil, "h264_vaapi", "h264_vaapi"])
    }

    @Test("a profile that requests software encoding gets it, without a note about hardware")
    func software() throws {
        let plan = try Self.plan([Self.works(Self.card)], requestedEncoder: "software")
        #expect(Self.encoders(of: plan) == [nil, "h264_vaapi", "h264_vaapi"])
        #expect(!plan.notes.contains { $0.hasPrefix("program:") })
    }

    @Test("without tested hardware encoders, a plan uses x264 without notes about hardware")
    func nothing() throws {
        let plan = try Self.plan([])
        #expect(Self.encoders(of: plan) == [nil, nil, nil] && plan.notes.isEmpty)
    }

    @Test(
        "a profile that requires hardware encoding reports the tested encoders, as for a missing device",
        arguments: [
            ([], "no hardware encoder was found and tested"),
            (
                [TriedEncoder(encoder: card, outcome: .fails(reason: "the card lost frames."))],
                "the card lost frames"
            ),
        ] as [([TriedEncoder], String)])
    func demanded(_ tried: [TriedEncoder], _ words: String) throws {
        let error = #expect(throws: ProfileError.self) { try Self.plan(tried, requestedEncoder: "hardware") }
        #expect(error?.isMissingDevice == true && error?.field == "program.video.encoder")
        #expect(
            error?.line == 4 && error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("..") == false)
    }

    @Test("hardware encoding has a separate cost term, no x264 work, and its remaining processor work")
    func cost() throws {
        var machine = HardwareCostTests.machine()
        let software = HardwareCost(of: try Self.plan([]), on: machine)
        machine.encoders = [Self.works(Self.card)]
        let hardware = HardwareCost(of: try Self.plan(machine.encoders), on: machine)
        let term = try #require(hardware.terms.first { $0.resource == "encoder:h264_vaapi" })
        let program: Double = 1920 * 1080
        let desk: Double = 1280 * 720
        let face: Double = 640 * 480
        let pixels = (program + desk + face) * 30
        #expect(abs(term.used - pixels / 250e6) < 1e-9)
        #expect(term.parts.map(\.owner) == ["program", "desk", "face"])
        #expect(term.explanation.contains("3 of 4 tested streams"))
        func processor(_ cost: HardwareCost) -> Double {
            cost.terms.first { $0.resource == "cpu" }?.used ?? 0
        }
        // Synthetic frames take 7 ns per pixel with x264's `balanced`, compared with half a nanosecond. 1.8
        // processors are usable.
        let nanoseconds: Double = 6.5 * pixels - 90_000 * 90
        let saved: Double = nanoseconds / 1e9 / 1.8
        #expect(abs(processor(software) - processor(hardware) - saved) < 1e-6)
        #expect(!software.terms.contains { $0.resource.hasPrefix("encoder:") })
    }

    @Test("on a machine without figures for it, an encoder's cost is reported as unknown")
    func unknownCost() throws {
        let plan = try Self.plan([Self.works(Self.card)])
        let cost = HardwareCost(of: plan, on: HardwareCostTests.machine())
        #expect(cost.unknown.contains { $0.hasPrefix("encoder:h264_vaapi:") })
    }

    @Test("the governor has presets to reduce only for streams that x264 encodes")
    func governor() throws {
        let plan = try Self.plan([Self.works(Self.card)])
        func presets(_ plan: SessionPlan) -> [String] {
            GovernorLadder(plan, offers: [:], floors: plan.budget, hasPreviews: false).measures.map(\.text)
                .filter { $0.contains("preset") }
        }
        #expect(presets(plan).isEmpty)
        #expect(presets(plan.withoutHardware(for: ["face"])) == ["face preset balanced → ultrafast"])
        #expect(presets(plan.withoutHardware(for: ["program"])) == ["program preset balanced → ultrafast"])
    }
}
