import MulticamMedia
import Testing

@testable import MulticamPlan

@Suite("Devices and tracks of a running session")
struct RunningDevicesTests {
    private static let profile = """
        cameras:
          desk: { device: any, size: 1280x720, rate: 30, format: mjpeg }
          face: { device: any, size: 640x480, rate: 30, format: mjpeg }
          guest: { device: any, size: 1920x1080, rate: 30, format: h264 }
        microphones: { host: { device: default } }
        program: { size: 1280x720, layout: pip, main: desk, inset: face }
        tracks: { cameras: copy, microphones: wav }
        """

    private static func rates(_ rates: Int64...) -> OfferedFormat.Rates {
        .listed(rates.map { FrameRate($0) })
    }

    private static let offers: [OfferedFormat] = [
        OfferedFormat(pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rates: rates(30, 10)),
        OfferedFormat(pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rates: rates(30)),
        OfferedFormat(pixel: .yuyv, size: FrameSize(width: 320, height: 240), rates: rates(30)),
    ]

    private static func running(_ text: String = profile) throws -> RunningPlan {
        let cameras = ["desk": "/dev/video0", "face": "/dev/video2", "guest": "/dev/video4"]
        var devices = cameras.mapValues { SessionPlanTests.camera(node: $0) }
        devices["host"] = SessionPlanTests.microphone(node: "a")
        let plan = try SessionPlan(profile: SessionPlanTests.profile(text), devices: devices)
        return RunningPlan(
            plan,
            devices: RunningDevices(
                offers: ["desk": offers, "guest": offers],
                slowestIntervals: ["desk": .milliseconds(60)]))
    }

    /// Applies changes to a running plan.
    ///
    /// - Returns: The orders for the last change, as text.
    @discardableResult
    private static func apply(_ lines: [String], to running: inout RunningPlan) throws -> [String] {
        var orders: [DeviceOperation] = []
        for line in lines {
            let change = try SessionChange(words: line.split(separator: " ").map(String.init))
            orders = try running.apply(try #require(change))
        }
        return orders.map { order in
            switch order {
            case .setFormat(let role, let format): "\(role): \(format.map(\.description) ?? "off")"
            case .setMicrophoneEnabled(let role, let isOn): "\(role): \(isOn ? "on" : "off")"
            case .stopTrack(let name): "stop-track \(name)"
            case .startAudio(let track): "start-track \(track.name) in \(track.file)"
            case .startTrack(let track): "start-track \(track.name) in \(track.file)"
            }
        }
    }

    @Test(
        "a change gives the orders it needs to devices and files",
        arguments: [
            (["disable desk"], ["desk: off"]),
            (["disable desk", "enable desk"], ["desk: mjpeg 1280x720 at 30"]),
            (["format desk 640x480"], ["desk: mjpeg 640x480 at 30"]),
            (["format desk 640x480", "format desk 1280x720@30"], ["desk: mjpeg 1280x720 at 30"]),
            // If the camera isn't copied, every pixel format is allowed.
            (["stop-track desk", "format desk 320x240"], ["desk: yuyv 320x240 at 30"]),
            // The format applies once the camera is switched on.
            (["disable desk", "format desk 640x480"], []),
            (["disable desk", "format desk 640x480", "enable desk"], ["desk: mjpeg 640x480 at 30"]),
            (["stop-track face"], ["stop-track face"]),
            (["stop-track face", "start-track face"], ["start-track face.2 in cameras/face.2.mov"]),
            (["stop-track face", "start-track face", "stop-track face"], ["stop-track face.2"]),
            (
                ["stop-track face", "start-track face", "stop-track face", "start-track face"],
                ["start-track face.3 in cameras/face.3.mov"]
            ),
            (["remove face"], ["stop-track face"]), (["remove desk"], ["stop-track desk", "desk: off"]),
            (["stop-track desk", "remove desk"], ["desk: off"]), (["stop-track host"], ["stop-track host"]),
            (["stop-track host", "start-track host"], ["start-track host.2 in audio/host.2.wav"]),
            (["stop-track host", "start-track host", "stop-track host"], ["stop-track host.2"]),
            (["disable host"], ["host: off"]),
            (["disable host", "enable host"], ["host: on"]),
            (["remove host"], ["stop-track host", "host: off"]),
            (["stop-track host", "remove host"], ["host: off"]),
        ])
    func orders(lines: [String], orders: [String]) throws {
        var running = try Self.running()
        #expect(try Self.apply(lines, to: &running) == orders)
    }

    @Test("a camera is asked again for a refused format, but not for the format it continued in")
    func refused() throws {
        var running = try Self.running()
        func format(_ size: FrameSize) -> VideoFormat {
            VideoFormat(pixel: .mjpeg, size: size, rate: FrameRate(30))
        }
        let (small, large) = (
            format(FrameSize(width: 640, height: 480)), format(FrameSize(width: 1280, height: 720))
        )
        try Self.apply(["format desk 640x480"], to: &running)
        running.recordRejectedFormat(small, of: "desk", keeping: large)
        #expect(throws: SessionChangeError.self) { try Self.apply(["format desk 1280x720"], to: &running) }
        #expect(try Self.apply(["format desk 640x480"], to: &running) == ["desk: \(small)"])
        // Another format has been requested by now.
        try Self.apply(["format desk 1280x720"], to: &running)
        running.recordRejectedFormat(small, of: "desk", keeping: small)
        #expect(throws: SessionChangeError.self) { try Self.apply(["format desk 1280x720"], to: &running) }
    }

    @Test(
        "a rejected change leaves the plan unchanged",
        arguments: [
            ("enable desk", "is already on"),
            ("format desk 1280x720", "already delivers mjpeg 1280x720 at 30"),
            ("format desk 800x600", "It offers 1280x720 or 640x480"),
            ("format desk 320x240", "does not offer 320x240 as mjpeg"),
            ("format desk 1280x720@25", "The nearest rate is 30"),
            ("format desk 1280x720@10", "requires at least 16.7 fps"),
            ("format face 640x480", "cannot be changed while it is being recorded"),
            ("disable guest", "Stop its track first: `stop-track guest`"),
            ("start-track face", "already has a running track"),
            ("format host 640x480", "is a microphone"),
            ("start-track host", "already has a running track"), ("enable host", "is already on"),
            ("remove nobody", "Choose desk, face, guest or host"),
        ])
    func refuses(line: String, reason: String) throws {
        var running = try Self.running()
        let before = running
        let error = #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(running == before)
    }

    @Test("a removed camera cannot be used any more, and the program's layout closes the gap")
    func removes() throws {
        var running = try Self.running()
        try Self.apply(["remove desk"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["face"])
        for line in ["swap desk", "unhide desk", "start-track desk", "format desk 640x480", "remove face"] {
            #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
        }
        running.reset(to: try Self.running().plan, devices: RunningDevices(offers: ["desk": Self.offers]))
        try Self.apply(["unhide desk"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["face", "desk"])
    }

    @Test("a track that shares its file with others cannot be stopped", arguments: ["face", "host"])
    func shared(role: String) throws {
        var running = try Self.running(
            Self.profile.replacing("microphones: wav }", with: "microphones: wav, files: one }"))
        let error = #expect(throws: SessionChangeError.self) {
            try Self.apply(["stop-track \(role)"], to: &running)
        }
        #expect(error?.description.contains("files: one-each") == true)
    }

    @Test(
        "a removed microphone cannot be used any more, and an added one is heard only on request"
    )
    func microphones() throws {
        var running = try Self.running(
            Self.profile.replacing("inset: face }", with: "inset: face, audio: { mix: [host] } }"))
        var guest = try #require(running.plan.microphones.first)
        guest.role = "guest.2"
        #expect(throws: Never.self) { try running.add(guest, nil) }
        for taken in ["host", "face", "program"] {
            guest.role = taken
            #expect(throws: SessionChangeError.self) { try running.add(guest, nil) }
        }
        try Self.apply(["remove host", "unmute guest.2"], to: &running)
        #expect(running.plan.program?.mix == ["guest.2"])
        for line in ["start-track host", "unmute host", "gain host 3", "disable host"] {
            let error = #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
            #expect(error?.description.contains("guest.2.") == true, "\(error?.description ?? "")")
        }
        running.reset(to: try Self.running().plan, devices: RunningDevices())
        #expect(running.plan.microphones.map(\.role) == ["host"] && running.plan.program?.mix == [])
    }

    @Test("an added camera requires an unused role, and is shown only on request")
    func admits() throws {
        var running = try Self.running()
        var camera = try #require(running.plan.cameras.first)
        camera.role = "host"
        #expect(throws: SessionChangeError.self) { try running.add(camera, nil, offers: nil) }
        camera.role = "audience"
        try running.add(camera, nil, offers: nil)
        #expect(running.plan.program?.arrangement.shown == ["desk", "face"])
        try Self.apply(["swap audience"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["audience", "face"])
        #expect(throws: SessionChangeError.self) { try running.add(camera, nil, offers: nil) }
        camera.role = "stream"
        camera.format = VideoFormat(pixel: .h264, size: camera.format.size, rate: camera.format.rate)
        let track = try #require(running.plan.cameraTracks.first)
        #expect(throws: SessionChangeError.self) { try running.add(camera, track, offers: nil) }
        // The change belongs only to that recording.
        running.reset(to: try Self.running().plan, devices: RunningDevices())
        #expect(running.plan.program?.arrangement.shown == ["face"])
        #expect(running.plan.cameras.map(\.role) == ["desk", "face", "guest"])
    }
}
