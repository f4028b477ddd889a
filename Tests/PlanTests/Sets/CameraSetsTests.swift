import MulticamMedia
import Testing

@testable import MulticamPlan

@Suite("Cameras that can run together")
struct CameraSetsTests {
    private static func machine(_ cameras: [USBCamera], claims: [USBClaim] = []) -> MachineModel {
        let entry = CostTable.Entry(nanosecondsPerPiece: 1000, nanosecondsPerUnit: 0.1)
        let plain = Dictionary(uniqueKeysWithValues: WorkKind.allCases.map { ($0, entry) })
        return MachineModel(
            processors: 8,
            costs: CostTable(plain: plain, photographic: plain.filter { $0.key.dependsOnDetail }),
            freeMemory: nil, disk: nil, usb: USBTopology(cameras: cameras, claims: claims))
    }

    private static func format(_ size: String, _ rate: Int64 = 30) throws -> VideoFormat {
        VideoFormat(pixel: .mjpeg, size: try #require(FrameSize(size)), rate: FrameRate(rate))
    }

    private static func camera(_ name: String, _ sizes: String...) throws -> SetCamera {
        SetCamera(
            name: name, selector: "/dev/\(name)", identity: DeviceIdentity(name: name),
            formats: try sizes.map { try format($0) })
    }

    private func names(_ sets: CameraSets) -> [[String]] { sets.groups.map { $0.members.map(\.name) } }

    @Test("a camera that reserves most of a bus limits the others there, but not one on another bus")
    func greedy() throws {
        let (near, far) = (USBCostTests.bus("1"), USBCostTests.bus("3"))
        let greedy = USBCostTests.camera("greedy", on: near, payloads: [3072])
        let usb =
            [greedy, USBCostTests.camera("elsewhere", on: far)]
            + ["a", "b"].map { USBCostTests.camera($0, on: near, payloads: [1600]) }
        let cameras = try ["greedy", "a", "b", "elsewhere"].map { try Self.camera($0, "640x480") }
        let sets = CameraSets(of: cameras, on: Self.machine(usb))
        // The streams of 61 µs and 32 µs fit, but 61 µs and twice 32 µs don't.
        #expect(
            names(sets) == [
                ["greedy", "a", "elsewhere"], ["greedy", "b", "elsewhere"], ["a", "b", "elsewhere"],
            ])
        #expect(sets.exclusions.isEmpty && sets.unusableCameras.isEmpty && sets.isComplete)
    }

    @Test("two cameras that reserve a whole bus exclude each other by name; another stream excludes both")
    func exclusion() throws {
        let bus = USBCostTests.bus("1")
        let usb = ["a", "b"].map { USBCostTests.camera($0, on: bus, payloads: [3072]) }
        let cameras = try ["a", "b"].map { try Self.camera($0, "640x480", "320x240") }
        let sets = CameraSets(of: cameras, on: Self.machine(usb))
        #expect(names(sets) == [["a"], ["b"]])
        let exclusion = try #require(sets.exclusions.first)
        #expect(
            exclusion.first == "a" && exclusion.second == "b" && exclusion.resource == "usb:1"
                && abs(exclusion.cost - 1.22) < 1e-9)
        let claim = USBClaim(
            device: "Webcam", reservation: USBReservation(bytes: 3072), speed: .high, domains: [bus])
        let none = CameraSets(of: cameras, on: Self.machine(usb, claims: [claim]))
        #expect(none.groups.isEmpty && none.unusableCameras.map(\.name) == ["a", "b"])
        #expect(
            none.unusableCameras.allSatisfy { $0.reason.contains("usb:1") && $0.reason.contains("Webcam") })
    }

    @Test("each camera in turn gets the best format that fits, and reports its limit")
    func formats() throws {
        let bus = USBCostTests.bus("1")
        // According to the estimate, 640x480 reserves 512 bytes (11 µs), 1280x720 1024 bytes (21 µs), and
        // 1920x1080 3072 bytes (61 µs).
        let usb = ["a", "b"].map { USBCostTests.camera($0, on: bus) }
        let cameras = try ["a", "b"].map { try Self.camera($0, "640x480", "1280x720", "1920x1080") }
        let sets = CameraSets(of: cameras, on: Self.machine(usb))
        let group = try #require(sets.groups.first)
        #expect(sets.groups.count == 1)
        #expect(group.members.map(\.format.size.height) == [1080, 720])
        #expect(group.members.map(\.limit) == [nil, "usb:1"] && group.members.allSatisfy(\.isAssumed))
        #expect(abs(group.cost.total - 0.82) < 1e-9)
    }

    @Test("sixteen identical cameras on one bus need only bounded work", arguments: [1024, 3072])
    func many(payload: Int) throws {
        let bus = USBCostTests.bus("1")
        let names = (0..<16).map { "c\($0)" }
        let usb = names.map { USBCostTests.camera($0, on: bus, payloads: [payload]) }
        let cameras = try names.map { try Self.camera($0, "640x480") }
        let sets = CameraSets(of: cameras, on: Self.machine(usb))
        if payload == 3072 {
            #expect(sets.isComplete && sets.groups.count == 16 && sets.exclusions.count == 120)
        } else {
            // There are 1,820 sets of four cameras.
            #expect(!sets.isComplete && sets.groups.count == CameraSets.mostSets)
            #expect(sets.groups.allSatisfy { $0.members.count == 4 })
        }
    }

    @Test("sixteen cameras that all fit are one set")
    func allFit() throws {
        let cameras = try (0..<16).map { try Self.camera("c\($0)", "640x480") }
        let sets = CameraSets(of: cameras, on: Self.machine([]))
        #expect(sets.isComplete && sets.groups.map(\.members.count) == [16])
    }

    @Test("without cameras there are zero sets; a camera without formats is reported")
    func none() throws {
        #expect(CameraSets(of: [], on: Self.machine([])).groups.isEmpty)
        let blind = SetCamera(
            name: "blind", selector: "/dev/blind", identity: DeviceIdentity(name: "blind"), formats: [])
        #expect(CameraSets(of: [blind], on: Self.machine([])).unusableCameras.map(\.name) == ["blind"])
    }

    @Test("formats below the floors are skipped unless the camera lacks others; JPEGs precede raw formats")
    func candidates() throws {
        func device(_ offers: [OfferedFormat]) -> PlannedDevice {
            PlannedDevice(
                selector: "/dev/video0",
                device: CaptureDevice(
                    mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "x"), name: "x",
                    node: "/dev/video0", selector: "/dev/video0"), offers: .listed(offers))
        }
        func offer(_ pixel: PixelFormat, _ size: String, _ rates: Int64...) throws -> OfferedFormat {
            OfferedFormat(
                pixel: pixel, size: try #require(FrameSize(size)),
                rates: .listed(rates.map { FrameRate($0) }))
        }
        let both = SetCamera(
            name: "x",
            device: device([
                try offer(.yuyv, "640x480", 30), try offer(.h264, "640x480", 30),
                try offer(.mjpeg, "640x480", 30, 15, 5), try offer(.mjpeg, "320x240", 30),
            ]))
        #expect(both.formats.map(\.description) == ["mjpeg 640x480 at 15", "mjpeg 640x480 at 30"])
        let small = SetCamera(name: "x", device: device([try offer(.yuyv, "320x240", 30)]))
        #expect(small.formats.map(\.description) == ["yuyv 320x240 at 30"])
    }

    @Test("with more cameras than a set allows, only the first ones are used")
    func tooMany() throws {
        let cameras = try (0..<70).map { try Self.camera("c\($0)", "64x36") }
        let sets = CameraSets(of: cameras, on: Self.machine([]), limit: 1e9)
        #expect(names(sets) == [(0..<CameraSets.mostCameras).map { "c\($0)" }])
    }
}
