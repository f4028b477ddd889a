import MulticamMedia
import Testing

@testable import MulticamPlan

@Suite("Remedies that reduce a plan's cost")
struct PlanRemediesTests {
    private static let near = USBCostTests.bus("1", controller: "0000:00:1a.0")
    private static let far = USBCostTests.bus("3", controller: "0000:00:1d.0")

    private static func machine(_ usb: USBTopology, processors: Double = 8) -> MachineModel {
        func entry(_ perUnit: Double) -> CostTable.Entry {
            CostTable.Entry(nanosecondsPerPiece: 10_000, nanosecondsPerUnit: perUnit)
        }
        let plain = Dictionary(uniqueKeysWithValues: WorkKind.allCases.map { ($0, entry(1)) }).merging([
            .encodeSuperfast: entry(10), .encodeBalanced: entry(7), .encodeUltrafast: entry(5),
            .encodeVeryfast: entry(20),
        ]) { $1 }
        return MachineModel(
            processors: processors,
            costs: CostTable(plain: plain, photographic: plain.filter { $0.key.dependsOnDetail }),
            freeMemory: nil, disk: nil, usb: usb)
    }

    private static func usb(free: [USBDomain] = [], claims: [USBClaim] = [], _ names: String...)
        -> USBTopology
    {
        USBTopology(
            cameras: names.map { USBCostTests.camera($0, on: near) }, claims: claims, freePorts: free)
    }

    private static let webcam: PlannedDevice.Offers = .listed(
        [PixelFormat.mjpeg, .yuyv].flatMap { pixel in
            [(640, 480), (320, 240)].map {
                OfferedFormat(
                    pixel: pixel, size: FrameSize(width: $0, height: $1),
                    rates: .listed([FrameRate(30), FrameRate(15)]))
            }
        })

    private static func rawPair() throws -> SessionPlan {
        try USBCostTests.plan(("desk", "yuyv 640x480 30"), ("face", "yuyv 640x480 30"))
    }

    @Test(
        "two raw cameras on one bus: a move first, then JPEGs, then a slower rate, each with the resulting cost"
    )
    func bus() throws {
        let found = PlanRemedies(
            for: try Self.rawPair(), on: Self.machine(Self.usb(free: [Self.near, Self.far], "desk", "face")),
            offers: ["desk": Self.webcam, "face": Self.webcam])
        #expect(
            found.remedies.map(\.sentence) == [
                "move face to another controller (bus 3, 0000:00:1d.0): cost 1.22 → 0.61",
                "move desk to another controller (bus 3, 0000:00:1d.0): cost 1.22 → 0.61",
                "use mjpeg instead of yuyv for face: cost 1.22 → 0.72",
                "use mjpeg instead of yuyv for desk: cost 1.22 → 0.72",
                "use 15 fps for face: cost 1.22 → 0.93",
                "use 15 fps for desk: cost 1.22 → 0.93",
            ])
        #expect(found.combination == nil)
    }

    @Test("a remedy has the profile fields to change, or none if a cable has to be moved")
    func edits() throws {
        let found = PlanRemedies(
            for: try Self.rawPair(), on: Self.machine(Self.usb(free: [Self.near, Self.far], "desk", "face")),
            offers: ["desk": Self.webcam, "face": Self.webcam])
        #expect(
            found.remedies.map(\.edits) == [
                [:], [:], ["cameras.face.format": "mjpeg"], ["cameras.desk.format": "mjpeg"],
                ["cameras.face.rate": "15"], ["cameras.desk.rate": "15"],
            ])
    }

    @Test("the program that uses another camera is named")
    func other() throws {
        let claim = USBClaim(
            device: "Webcam (/dev/video3)", camera: DeviceIdentity(name: "third"),
            holder: "`obs` (process 7)",
            reservation: USBReservation(bytes: 3072), speed: .high, domains: [Self.near])
        let found = PlanRemedies(
            for: try USBCostTests.plan(("desk", "yuyv 640x480 30")),
            on: Self.machine(Self.usb(claims: [claim], "desk")))
        #expect(
            found.remedies.map(\.sentence) == [
                "close `obs` (process 7), which uses Webcam (/dev/video3): cost 1.22 → 0.61"
            ])
    }

    @Test("if no single remedy is enough, a combination is suggested")
    func together() throws {
        let plan = try USBCostTests.plan(
            ("a", "yuyv 640x480 30"), ("b", "yuyv 640x480 30"), ("c", "yuyv 640x480 30"))
        let found = PlanRemedies(
            for: plan, on: Self.machine(Self.usb("a", "b", "c")),
            offers: ["a": Self.webcam, "b": Self.webcam, "c": Self.webcam])
        #expect(found.remedies.allSatisfy { $0.after > 1 })
        let together = try #require(found.combination)
        #expect(
            together.sentence
                == "use mjpeg instead of yuyv for c, and use mjpeg instead of yuyv for b: cost 1.83 → 0.83")
        #expect(together.edits == ["cameras.c.format": "mjpeg", "cameras.b.format": "mjpeg"])
    }

    @Test("a plan that fits gets only a move that frees half of the scarcest resource as a remedy")
    func fitting() throws {
        let plan = try USBCostTests.plan(("a", "yuyv 640x480 15"), ("b", "yuyv 640x480 15"))
        let topology = Self.usb(free: [Self.far], "a", "b")
        let found = PlanRemedies(
            for: plan, on: Self.machine(topology), offers: ["a": Self.webcam, "b": Self.webcam])
        #expect(found.remedies.map(\.effort) == [.move, .move])
        let without = PlanRemedies(
            for: plan, on: Self.machine(Self.usb("a", "b")), offers: ["a": Self.webcam, "b": Self.webcam])
        #expect(without.remedies.isEmpty && without.combination == nil)
    }

    @Test("a synthetic camera moves to another synthetic bus")
    func synthetic() throws {
        var plan = try Self.rawPair()
        for index in plan.cameras.indices {
            var camera = USBCostTests.camera(plan.cameras[index].role, on: USBCostTests.bus("left"))
            camera.isSynthetic = true
            plan.cameras[index].usb = camera
        }
        let found = PlanRemedies(for: plan, on: Self.machine(USBTopology()))
        #expect(
            found.remedies.map(\.sentence) == [
                "move face to another controller (change `bus` in its selector): cost 1.22 → 0.61",
                "move desk to another controller (change `bus` in its selector): cost 1.22 → 0.61",
            ])
    }

    @Test("with scarce processors: a faster preset, then copies")
    func encoders() throws {
        var plan = try USBCostTests.plan(("desk", "mjpeg 1280x720 30"))
        plan.cameraTracks = [
            PlannedCameraTrack(
                role: "desk", mode: .encode, file: "cameras/desk.mov", rate: FrameRate(30),
                settings: VideoEncodingSettings(
                    size: FrameSize(width: 1280, height: 720), rate: FrameRate(30), preset: .superfast,
                    quality: 23, color: nil), rotation: .none)
        ]
        let found = PlanRemedies(for: plan, on: Self.machine(USBTopology(), processors: 0.2))
        #expect(
            found.remedies.map(\.action) == [
                "use preset balanced for the tracks", "copy the camera tracks instead of encoding them",
            ])
        #expect(found.remedies.map(\.effort) == [.preset, .copy])
    }
}
