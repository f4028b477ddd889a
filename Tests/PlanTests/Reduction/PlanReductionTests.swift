import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("Reduction of a plan to its budget")
struct PlanReductionTests {
    private typealias Plans = SessionPlanTests

    static func size(_ text: String) throws -> FrameSize { try #require(FrameSize(text)) }

    /// The JPEG formats of a good webcam.
    static let webcam: [OfferedFormat] = [
        (1920, 1080), (1280, 720), (960, 540), (800, 600), (640, 480), (640, 360), (320, 240),
    ].map {
        OfferedFormat(
            pixel: .mjpeg, size: FrameSize(width: $0.0, height: $0.1),
            rates: .listed([30, 25, 24, 20, 15, 10, 5].map { FrameRate($0) }))
    }

    static func devices(_ profile: Profile, _ formats: [OfferedFormat] = webcam) -> [String: PlannedDevice] {
        let cameras = profile.cameras.enumerated().map {
            ($0.element.role, Plans.camera(formats, node: "/dev/video\($0.offset)"))
        }
        let microphones = profile.microphones.map { ($0.role, Plans.microphone()) }
        return Dictionary(uniqueKeysWithValues: cameras + microphones)
    }

    /// Reduces a plan, using a cost that is computed from the plan.
    static func reduce(
        _ text: String, _ formats: [OfferedFormat] = webcam,
        for price: @escaping (SessionPlan) -> HardwareCost
    ) throws -> PlanReduction {
        let profile = try Plans.profile(text)
        return try PlanReduction(of: profile, devices: devices(profile, formats), price: price)
    }

    static func cost(_ terms: [String: Double], unknown: [String] = []) -> HardwareCost {
        HardwareCost(
            terms: terms.map {
                HardwareCost.Term(
                    resource: $0.key, used: $0.value,
                    parts: [HardwareCost.Part(owner: "program", used: $0.value)], explanation: "")
            }, unknown: unknown)
    }

    /// Returns the number of megapixels per second of all cameras.
    static func megapixels(_ plan: SessionPlan) -> Double {
        plan.cameras.reduce(0) { $0 + Double($1.format.size.pixelCount) * $1.format.rate.perSecond / 1e6 }
    }

    /// Returns the cost on a machine that is limited only by its bus, in megapixels per second.
    static func machine(of limit: Double) -> (SessionPlan) -> HardwareCost {
        { cost(["usb:1": megapixels($0) / limit]) }
    }

    private static let three = """
        cameras:
          desk: { size: 1280x720, rate: 30 }
          face: { size: 1280x720, rate: 30 }
          hands: { size: 1280x720, rate: 30 }
        """

    @Test("a plan that fits is unchanged")
    func fits() throws {
        let reduction = try Self.reduce(Self.three, for: Self.machine(of: 100))
        #expect(reduction.fits && reduction.steps.isEmpty && reduction.plan == reduction.requestedPlan)
        #expect(reduction.skippedReductions.isEmpty && reduction.remedies.isEmpty)
    }

    @Test(
        "sizes are reduced first, each to the floor, from the last camera to the main one; then rates likewise"
    )
    func wholeLadder() throws {
        let reduction = try Self.reduce(Self.three, for: Self.machine(of: 0.1))
        #expect(
            reduction.steps.map(\.step) == [
                "hands size 1280x720 → 960x540", "hands size 960x540 → 640x480",
                "face size 1280x720 → 960x540", "face size 960x540 → 640x480",
                "desk size 1280x720 → 960x540", "desk size 960x540 → 640x480",
                "hands rate 30 → 20", "hands rate 20 → 15", "face rate 30 → 20", "face rate 20 → 15",
                "desk rate 30 → 20", "desk rate 20 → 15",
            ])
        #expect(!reduction.fits)
        #expect(reduction.plan.cameras.allSatisfy { $0.format.description == "mjpeg 640x480 at 15" })
        #expect(reduction.plan.cameras[2].reason.contains("reduced from mjpeg 1280x720 at 30"))
    }

    @Test(
        "the cost is computed after each step, and reduction stops once it fits",
        arguments: [
            (megapixels: 83.0, steps: 0), (megapixels: 71.0, steps: 1), (megapixels: 65.0, steps: 2),
            (megapixels: 37.0, steps: 5), (megapixels: 27.7, steps: 6), (megapixels: 24.7, steps: 7),
        ])
    func asLittleAsPossible(megapixels: Double, steps: Int) throws {
        let reduction = try Self.reduce(Self.three, for: Self.machine(of: megapixels))
        #expect(reduction.fits && reduction.steps.count == steps)
        for (before, after) in zip(reduction.steps, reduction.steps.dropFirst()) {
            #expect(before.after == after.before)
        }
        #expect(reduction.steps.allSatisfy { $0.before.total > 1 && $0.after.total < $0.before.total })
        #expect(reduction.steps.first?.before ?? reduction.requestedCost == reduction.requestedCost)
        #expect(reduction.steps.last?.after ?? reduction.requestedCost == reduction.cost)
    }

    @Test(
        "only offered sizes are used, of the same aspect ratio if possible, and never below the floor",
        arguments: [
            ("size: 1280x720", "640x480", ["1280x720 → 960x540", "960x540 → 640x480"]),
            ("size: 1280x720", "640x360", ["1280x720 → 960x540", "960x540 → 640x360"]),
            ("size: 1280x720", "320x180", ["1280x720 → 960x540", "960x540 → 640x360", "640x360 → 320x240"]),
            ("size: 1920x1080", "1000x700", ["1920x1080 → 1280x720"]),
            ("size: 800x600", "640x480", ["800x600 → 640x480"]),
            ("size: 640x480", "640x480", []),
            ("size: 640x360", "640x480", []),
            ("size: 320x240", "640x480", []),
        ] as [(camera: String, floor: String, steps: [String])])
    func floors(camera: String, floor: String, steps: [String]) throws {
        let reduction = try Self.reduce(
            "cameras: { a: { \(camera), rate: 15 } }\nbudget: { floors: { size: \(floor), rate: 15 } }",
            for: Self.machine(of: 0.01))
        #expect(reduction.steps.map(\.step) == steps.map { "a size \($0)" })
        #expect(!reduction.fits && reduction.cost.total > 1)
    }

    @Test(
        "rates are reduced by about ten at a time, to offered rates, and not below the floor",
        arguments: [
            ("[60, 50, 30, 25, 20, 15, 10]", 60, 15, [50, 30, 20, 15]), ("[30, 15]", 30, 15, [15]),
            ("[30, 15]", 30, 20, []), ("[30, 25, 24]", 30, 15, [24]), ("[10, 5]", 10, 15, []),
            ("[30, 10]", 30, 15, []),
        ] as [(offered: String, rate: Int64, floor: Int64, rates: [Int64])])
    func rates(offered: String, rate: Int64, floor: Int64, rates: [Int64]) throws {
        let numbers = offered.filter { "0123456789 ".contains($0) }.split(separator: " ").compactMap {
            Int64($0)
        }
        let format = OfferedFormat(
            pixel: .mjpeg, size: Plans.vga, rates: .listed(numbers.map { FrameRate($0) }))
        let reduction = try Self.reduce(
            "cameras: { a: { size: 640x480, rate: \(rate) } }\nbudget: { floors: { rate: \(floor) } }",
            [format],
            for: Self.machine(of: 0.01))
        let chain = zip([rate] + rates, rates).map { "a rate \($0) → \($1)" }
        #expect(reduction.steps.map(\.step) == chain)
    }

    @Test("29.97 is reduced within its family, and a floor of 15 allows 14.99 if offered")
    func ntsc() throws {
        let rate = FrameRate(30_000, per: 1001)
        let steps = CameraRungs.steps(below: rate, floor: FrameRate(15)).map(\.description)
        #expect(steps == ["19.98", "15"])
        let format = OfferedFormat(
            pixel: .mjpeg, size: Plans.vga, rates: .listed([rate, FrameRate(15_000, per: 1001)]))
        let reduction = try Self.reduce(
            "cameras: { a: { size: 640x480, rate: 29.97 } }", [format], for: Self.machine(of: 0.01))
        #expect(reduction.steps.map(\.step) == ["a rate 29.97 → 14.985"])
    }

    @Test(
        "a smaller size that is not offered at the camera's rate is skipped: sizes are reduced before rates")
    func slowSizes() throws {
        let formats = [
            Plans.offer(.mjpeg, Plans.hd, 30), Plans.offer(.mjpeg, try Self.size("960x540"), 15),
            Plans.offer(.mjpeg, Plans.vga, 60),
        ]
        let reduction = try Self.reduce(
            "cameras: { a: { size: 1280x720, rate: 30 } }", formats, for: Self.machine(of: 19))
        #expect(reduction.steps.map(\.step) == ["a size 1280x720 → 640x480"])
        #expect(reduction.plan.cameras[0].format.rate == FrameRate(60))
        #expect(reduction.plan.cameraTracks[0].rate == FrameRate(30))
    }

    @Test("the tracks follow their cameras in size and rate, and the plan notes this")
    func tracks() throws {
        let reduction = try Self.reduce(
            "cameras: { a: { size: 1280x720, rate: 30 } }\nprogram: { layout: single, main: a, size: 1920x1080 }\n"
                + "tracks: { cameras: copy }",
            for: Self.machine(of: 5))
        let track = try #require(reduction.plan.cameraTracks.first)
        #expect(reduction.fits && track.rate == FrameRate(15) && track.settings.size == Plans.vga)
        #expect(track.settings.rate == FrameRate(15))
        #expect(reduction.plan.notes.contains { $0.contains("15 fps, so its track") })
        #expect(reduction.plan.program?.settings.size == Plans.fullHD)
        #expect(reduction.plan.program?.settings.rate == FrameRate(30))
    }

    @Test("a camera with a new aspect ratio gets a new place in the program, and its crop is scaled")
    func layout() throws {
        let pip = """
            cameras: { a: { size: 1280x720, rate: 30 }, b: { size: 1280x720, rate: 30CROP } }
            program: { layout: pip, main: a, inset: b, size: 1280x720 }
            """
        let plain = try Self.reduce(
            pip.replacing("CROP", with: ""), for: Self.machine(of: 37))
        #expect(plain.plan.program?.layers[1].rectangle.size == FrameSize(width: 320, height: 240))
        let cropped = try Self.reduce(
            pip.replacing("CROP", with: ", crop: { x: 320, y: 180, width: 640, height: 360 }"),
            for: Self.machine(of: 37))
        // 640x480 has a different field of view, so the crop keeps the camera at 16:9.
        #expect(
            cropped.steps.map(\.step) == [
                "b size 1280x720 → 960x540", "a size 1280x720 → 960x540",
            ])
        #expect(cropped.plan.cameras[1].crop == PixelRectangle(x: 240, y: 136, width: 480, height: 270))
    }

    @Test("a copied H.264 stream keeps a track at the camera's rate, and its format is not replaced")
    func h264() throws {
        let formats = [
            Plans.offer(.h264, Plans.hd, 30, 15), Plans.offer(.h264, Plans.vga, 30, 15),
            Plans.offer(.mjpeg, try Self.size("960x540"), 30),
        ]
        let reduction = try Self.reduce(
            "cameras: { a: { size: 1280x720, rate: 30, format: h264 } }", formats, for: Self.machine(of: 5))
        #expect(reduction.steps.map(\.step) == ["a size 1280x720 → 640x480", "a rate 30 → 15"])
        #expect(reduction.plan.cameras[0].format.pixel == .h264)
        #expect(reduction.plan.cameraTracks[0].rate == FrameRate(15))
    }

    @Test("raw frames are reduced to smaller raw frames")
    func raw() throws {
        let formats = [
            Plans.offer(.yuyv, Plans.hd, 10), Plans.offer(.mjpeg, try Self.size("960x540"), 30),
            Plans.offer(.yuyv, Plans.vga, 30, 10),
        ]
        let reduction = try Self.reduce(
            "cameras: { a: { size: 1280x720, rate: 10, format: yuyv } }\ntracks: { cameras: encode }",
            formats,
            for: Self.machine(of: 5))
        #expect(reduction.plan.cameras[0].format.description == "yuyv 640x480 at 10")
    }

    @Test("a synthetic camera is reduced like a webcam, except for values fixed by its selector")
    func synthetic() throws {
        let profile = try Plans.profile("cameras: { a: { size: 1280x720, rate: 30 } }")
        func steps(_ device: PlannedDevice) throws -> [String] {
            try PlanReduction(
                of: profile, devices: ["a": device], price: Self.machine(of: 0.1)
            ).steps.map(\.step)
        }
        #expect(
            try steps(Plans.synthetic()) == [
                "a size 1280x720 → 960x540", "a size 960x540 → 640x480", "a rate 30 → 20", "a rate 20 → 15",
            ])
        #expect(try steps(Plans.synthetic(size: Plans.hd)) == ["a rate 30 → 20", "a rate 20 → 15"])
        #expect(
            try steps(Plans.synthetic(rate: FrameRate(30))) == [
                "a size 1280x720 → 960x540", "a size 960x540 → 640x480",
            ])
    }

    // MARK: A bus that is scarce

    /// Returns the cost on a machine with a limited number of bytes per second on one bus. JPEGs cost
    /// processor time instead.
    private static func bus(of limit: Double, processor: Double = 0.1) -> (SessionPlan) -> HardwareCost {
        { plan in
            let bytes = plan.cameras.reduce(0.0) { sum, camera in
                let perPixel = camera.format.pixel.isCompressed ? 0.2 : 2
                return sum + Double(camera.format.size.pixelCount) * camera.format.rate.perSecond * perPixel
            }
            let jpegs = plan.cameras.filter { $0.format.pixel == .mjpeg }.count
            return cost(["usb:1": bytes / 1e6 / limit, "cpu": 0.5 + Double(jpegs) * processor])
        }
    }

    private static let rawAndJPEG = [
        Plans.offer(.yuyv, Plans.vga, 30), Plans.offer(.mjpeg, Plans.vga, 30),
        Plans.offer(.yuyv, FrameSize(width: 320, height: 240), 30),
    ]
    private static let rawPair = """
        cameras: { a: { size: 640x480, rate: 30, format: yuyv }, b: { size: 640x480, rate: 30, format: yuyv } }
        tracks: { cameras: encode }
        budget: { floors: { size: 320x240 } }
        """

    @Test(
        "if the bus is the scarcest, raw frames become JPEGs before sizes are reduced, starting with the last camera"
    )
    func compression() throws {
        let one = try Self.reduce(Self.rawPair, Self.rawAndJPEG, for: Self.bus(of: 25))
        #expect(one.fits && one.steps.map(\.step) == ["b format yuyv → mjpeg"])
        #expect(one.steps[0].reason.hasPrefix("usb:1 1.48 is above the budget of 1.0: JPEG frames"))
        let both = try Self.reduce(Self.rawPair, Self.rawAndJPEG, for: Self.bus(of: 15))
        #expect(both.fits && both.steps.map(\.step) == ["b format yuyv → mjpeg", "a format yuyv → mjpeg"])
    }

    @Test("JPEGs are not used if the processors cannot decode them, and the reduction notes this")
    func noRoomForJPEG() throws {
        let reduction = try Self.reduce(
            Self.rawPair, Self.rawAndJPEG, for: Self.bus(of: 25, processor: 0.6))
        #expect(reduction.fits && reduction.steps.map(\.step) == ["b size 640x480 → 320x240"])
        #expect(reduction.skippedReductions.contains("b: switching from yuyv to mjpeg would not help."))
        let full = try Self.reduce(Self.rawPair, Self.rawAndJPEG) { plan in
            Self.cost(["usb:1": Self.megapixels(plan) / 10, "cpu": 1.2])
        }
        #expect(!full.fits && !full.steps.contains { $0.step.contains("format") })
        #expect(
            full.skippedReductions.contains { $0.contains("not have enough capacity to decode JPEG frames") })
    }

    @Test("JPEGs are not used if only the processor is overloaded, or if none are offered")
    func noCompression() throws {
        let busy = try Self.reduce(Self.rawPair, Self.rawAndJPEG) { plan in
            Self.cost(["usb:1": 0.5, "cpu": Self.megapixels(plan) / 15])
        }
        #expect(busy.steps.map(\.step) == ["b size 640x480 → 320x240"])
        let onlyRaw = try Self.reduce(
            Self.rawPair, Self.rawAndJPEG.filter { $0.pixel == .yuyv }, for: Self.bus(of: 25))
        #expect(onlyRaw.steps.map(\.step) == ["b size 640x480 → 320x240"])
        #expect(
            onlyRaw.skippedReductions.contains {
                $0.contains("the camera does not offer mjpeg 640x480 at 30 fps")
            })
    }

    // MARK: Steps that would not help

    @Test("a step that lowers no cost above the budget is skipped, and the reduction notes this")
    func useless() throws {
        let reduction = try Self.reduce(Self.three) { plan in
            let desk = plan.cameras[0].format
            return Self.cost([
                "usb:2": Double(desk.size.pixelCount) / 400_000, "cpu": Self.megapixels(plan) / 1000,
            ])
        }
        #expect(
            reduction.fits
                && reduction.steps.map(\.step) == [
                    "desk size 1280x720 → 960x540", "desk size 960x540 → 640x480",
                ])
        #expect(
            reduction.skippedReductions
                == ["hands", "face"].map {
                    "\($0): a size below 1280x720 would not lower the costs that exceed the budget."
                })
    }

    @Test("a step with too little effect is skipped for a larger one with a visible effect")
    func tooSmall() throws {
        let reduction = try Self.reduce("cameras: { a: { size: 1280x720, rate: 30 } }") { plan in
            Self.cost(["usb:1": plan.cameras[0].format.size.height > 500 ? 1.1 : 0.9])
        }
        #expect(reduction.steps.map(\.step) == ["a size 1280x720 → 640x480"])
    }

    @Test(
        "a step that raises another cost above the budget, or makes a cost unknown, is not used"
    )
    func harmful() throws {
        let lifting = try Self.reduce("cameras: { a: { size: 1280x720, rate: 15 } }") { plan in
            let isSmall = plan.cameras[0].format.size.height < 720
            return Self.cost(["cpu": isSmall ? 0.9 : 1.1, "usb:1": isSmall ? 1.01 : 0.5])
        }
        #expect(!lifting.fits && lifting.steps.isEmpty)
        let hiding = try Self.reduce("cameras: { a: { size: 1280x720, rate: 15 } }") { plan in
            plan.cameras[0].format.size.height < 720
                ? Self.cost([:], unknown: ["cpu"]) : Self.cost(["cpu": 1.1])
        }
        #expect(!hiding.fits && hiding.steps.isEmpty)
    }

    // MARK: Encoders

    @Test(
        "encoders use faster presets first, then the program's rate is reduced"
    )
    func encoders() throws {
        let reduction = try Self.reduce(
            """
            cameras: { a: { size: 640x480, rate: 15 } }
            program: { layout: single, main: a, rate: 30, video: { preset: veryfast } }
            tracks: { cameras: encode, video: { preset: superfast } }
            """
        ) { plan in
            func effort(_ preset: VideoEncodingSettings.Preset) -> Double {
                switch preset {
                case .ultrafast: 1
                case .balanced: 1.5
                case .superfast: 2
                case .veryfast: 3
                }
            }
            let program = plan.program.map { effort($0.settings.preset) * $0.settings.rate.perSecond } ?? 0
            let tracks = plan.cameraTracks.reduce(0) { $0 + effort($1.settings.preset) * 15 }
            return Self.cost(["cpu": (program + tracks) / 29])
        }
        #expect(
            reduction.steps.map(\.step) == [
                "program preset veryfast → superfast", "program preset superfast → balanced",
                "program preset balanced → ultrafast", "tracks preset superfast → balanced",
                "tracks preset balanced → ultrafast", "program rate 30 → 20", "program rate 20 → 15",
            ])
        #expect(!reduction.fits)
        #expect(reduction.plan.program?.settings.rate == FrameRate(15))
        #expect(
            reduction.skippedReductions.contains(
                "program: the frame rate of 15 fps is already at the minimum of 15 fps."))
    }

    // MARK: Policy and remedies

    @Test("the policy `refuse` reduces nothing, and reports possible reductions")
    func refuse() throws {
        let reduction = try Self.reduce(
            Self.three + "\nbudget: { policy: refuse, hardware: 0.5 }", for: Self.machine(of: 100))
        #expect(!reduction.fits && reduction.steps.isEmpty && reduction.plan == reduction.requestedPlan)
        #expect(
            reduction.refusal.contains(
                "usb:1 0.83 is above the budget of 0.5, and the profile's policy is `refuse`"))
        #expect(
            reduction.remedies == [
                "set `budget: { hardware: 0.83 }` in the profile to allow this plan. The computer has enough capacity for it.",
                "set `budget: { policy: adapt }` in the profile: the cost would be 0.47 after reductions.",
                "record without cameras face and hands: the cost would be 0.28.",
            ])
    }

    @Test("an unknown cost never prevents a plan")
    func unknown() throws {
        let reduction = try Self.reduce(Self.three + "\nbudget: { policy: refuse }") { _ in
            Self.cost([:], unknown: ["cpu: nothing is known."])
        }
        #expect(reduction.fits)
    }

    @Test("a disk without space for the whole duration suggests a shorter one")
    func diskSpace() throws {
        let profile = try Plans.profile("cameras: { a: { size: 640x480, rate: 15 } }")
        var machine = HardwareCostTests.machine()
        machine.disk = MachineModel.Disk(freeBytes: 1_000_000_000, bytesPerSecond: nil)
        let reduction = try PlanReduction(
            of: profile, devices: Self.devices(profile), on: machine, duration: .seconds(36_000))
        #expect(!reduction.fits && reduction.refusal.hasPrefix("not enough disk space: "))
        #expect(
            reduction.remedies.contains {
                $0.hasPrefix("the disk has room for 4") && $0.contains(" min ")
                    && $0.contains("record for less time")
            })
        #expect(reduction.refusal.hasPrefix("not enough disk space: recording for 10 h requires "))
    }

    // MARK: The real cost

    @Test(
        "with the real cost, from one camera to four, every step helps and none raises it",
        arguments: [1, 2, 3, 4], [0.02, 0.1, 0.3, 1])
    func trueCost(cameras: Int, processors: Double) throws {
        let roles = ["a", "b", "c", "d"].prefix(cameras)
        let text =
            "cameras: { " + roles.map { "\($0): { size: 1920x1080, rate: 30 }" }.joined(separator: ", ")
            + " }\nprogram: { layout: grid, main: a, size: 1280x720 }\ntracks: { cameras: encode }"
        let profile = try Plans.profile(text)
        let machine = HardwareCostTests.machine(processors: processors)
        let reduction = try PlanReduction(of: profile, devices: Self.devices(profile), on: machine)
        #expect(reduction.fits == (reduction.cost.total <= 1))
        #expect(reduction.cost == HardwareCost(of: reduction.plan, on: machine))
        for step in reduction.steps {
            #expect(step.after.total <= step.before.total && step.before.total > 1)
            let lowered = step.before.terms.contains {
                $0.used > 1 && step.after.used(of: $0.resource) < $0.used
            }
            #expect(lowered, "\(step.step)")
        }
        for (camera, wish) in zip(reduction.plan.cameras, profile.cameras) {
            #expect(Self.webcam.contains { $0.pixel == camera.format.pixel && $0.size == camera.format.size })
            #expect(camera.format.size.pixelCount <= wish.size?.pixelCount ?? 0)
            #expect(camera.format.size.height >= 480 && camera.format.rate >= FrameRate(15))
        }
    }

    @Test("every added input adds to the cost and to the reductions")
    func basket() throws {
        var last = -1.0
        for count in 1...4 {
            let roles = ["a", "b", "c", "d"].prefix(count)
            let text =
                "cameras: { " + roles.map { "\($0): { size: 1280x720, rate: 30 }" }.joined(separator: ", ")
                + " }"
            let profile = try Plans.profile(text + "\ntracks: { cameras: encode }")
            let reduction = try PlanReduction(
                of: profile, devices: Self.devices(profile), on: HardwareCostTests.machine(processors: 0.5))
            #expect(reduction.requestedCost.total > last)
            last = reduction.requestedCost.total
        }
    }
}
