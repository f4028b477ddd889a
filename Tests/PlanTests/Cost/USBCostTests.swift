import MulticamMedia
import MulticamPlan
import Testing

@Suite("USB cost of a plan's cameras")
struct USBCostTests {
    static func bus(
        _ name: String, controller: String = "0000:00:1a.0", accounting: USBAccounting = .ehci
    ) -> USBDomain {
        USBDomain(
            name: name, place: "bus \(name)", controller: controller, speed: .high, accounting: accounting)
    }

    static func camera(
        _ name: String, on bus: USBDomain, payloads: [Int] = [192, 512, 1024, 1600, 2048, 3072]
    )
        -> USBCamera
    {
        USBCamera(
            identity: DeviceIdentity(name: name), speed: .high, domains: [bus],
            settings: payloads.map { USBReservation(bytes: $0) })
    }

    /// Returns a plan with copied cameras, each identified by its name.
    static func plan(_ cameras: (role: String, format: String)...) throws -> SessionPlan {
        SessionPlan(
            profile: "test",
            cameras: try cameras.map { role, format in
                let words = format.split(separator: " ")
                return PlannedCamera(
                    role: role, selector: "/dev/\(role)", identity: DeviceIdentity(name: role),
                    format: VideoFormat(
                        pixel: try #require(PixelFormat(rawValue: String(words[0]))),
                        size: try #require(FrameSize(String(words[1]))),
                        rate: try #require(FrameRate(String(words[2])))))
            }, microphones: [], program: nil, cameraTracks: [], microphoneTracks: [])
    }

    private static func terms(_ plan: SessionPlan, _ usb: USBTopology) -> [HardwareCost.Term] {
        let machine = MachineModel(
            processors: 2, costs: CostTable(plain: [:], photographic: [:]), freeMemory: nil, disk: nil,
            usb: usb)
        return HardwareCost(of: plan, on: machine).terms
    }

    @Test("two raw VGA cameras share a bus with room for one; on two buses each has a separate one")
    func controllers() throws {
        let plan = try Self.plan(("desk", "yuyv 640x480 30"), ("face", "yuyv 640x480 30"))
        let (one, two) = (Self.bus("1"), Self.bus("3"))
        let shared = Self.terms(
            plan, USBTopology(cameras: [Self.camera("desk", on: one), Self.camera("face", on: one)]))
        #expect(shared.map(\.resource) == ["usb:1"])
        let term = try #require(shared.first)
        #expect(abs(term.used - 1.22) < 1e-9)
        #expect(
            term.parts.map(\.owner) == ["desk", "face"]
                && term.parts.allSatisfy { abs($0.used - 0.61) < 1e-9 })
        #expect(
            term.explanation
                == "122 µs of the 100 µs that bus 1 (0000:00:1a.0) can reserve per 125 µs microframe: desk reserves 3072 bytes for its raw format; face reserves 3072 bytes for its raw format."
        )
        let apart = Self.terms(
            plan, USBTopology(cameras: [Self.camera("desk", on: one), Self.camera("face", on: two)]))
        #expect(
            apart.map(\.resource) == ["usb:1", "usb:3"] && apart.allSatisfy { abs($0.used - 0.61) < 1e-9 })
    }

    @Test("a stream of another program counts; an earlier stream of the same camera does not")
    func claims() throws {
        let bus = Self.bus("1")
        func claim(_ camera: String) -> USBClaim {
            USBClaim(
                device: "Webcam (/dev/video3)", camera: DeviceIdentity(name: camera),
                reservation: USBReservation(bytes: 2048), speed: .high, domains: [bus])
        }
        let plan = try Self.plan(("desk", "mjpeg 1280x720 30"))
        let cameras = [Self.camera("desk", on: bus)]
        let beside = try #require(
            Self.terms(plan, USBTopology(cameras: cameras, claims: [claim("other")])).first)
        #expect(abs(beside.used - 0.62) < 1e-9)
        #expect(beside.parts.map(\.owner) == ["Webcam (/dev/video3)", "desk"])
        #expect(beside.explanation.hasSuffix("; already in use: Webcam (/dev/video3)."))
        #expect(
            beside.explanation.contains(
                "assumed to reserve 1024 bytes, but may reserve up to 3072 bytes (the exact number is known only while the camera is streaming)"
            ))
        let own = try #require(Self.terms(plan, USBTopology(cameras: cameras, claims: [claim("desk")])).first)
        #expect(abs(own.used - 0.21) < 1e-9)
    }

    @Test("cameras without a USB reservation add no term")
    func none() throws {
        let plan = try Self.plan(("desk", "mjpeg 1280x720 30"))
        #expect(Self.terms(plan, USBTopology()).isEmpty)
        let bulk = Self.camera("desk", on: Self.bus("1"), payloads: [])
        #expect(Self.terms(plan, USBTopology(cameras: [bulk])).isEmpty)
    }

    @Test("a format too large for a synthetic camera costs more than 1, even if the bus has enough time")
    func tooLarge() throws {
        var camera = Self.camera("desk", on: Self.bus("left"), payloads: [192, 3060])
        camera.isSynthetic = true
        // A packet of 4,620 bytes would take 90 of 100 µs.
        let terms = Self.terms(try Self.plan(("desk", "yuyv 640x480 60")), USBTopology(cameras: [camera]))
        #expect(try abs(#require(terms.first).used - 4620.0 / 3060) < 1e-4)
    }
}
