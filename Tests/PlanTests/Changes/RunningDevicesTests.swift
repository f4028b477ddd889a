import Media
import Testing

@testable import Plan

@Suite("Devices and tracks of a session that runs")
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
    /// - Returns: What is to be done for the last of them, in words.
    @discardableResult
    private static func apply(_ lines: [String], to running: inout RunningPlan) throws -> [String] {
        var orders: [DeviceOrder] = []
        for line in lines {
            let change = try SessionChange(words: line.split(separator: " ").map(String.init))
            orders = try running.apply(try #require(change))
        }
        return orders.map { order in
            switch order {
            case .deliver(let role, let format): "\(role): \(format.map(\.description) ?? "off")"
            case .hear(let role, let isOn): "\(role): \(isOn ? "on" : "off")"
            case .endTrack(let name): "end \(name)"
            case .beginAudio(let track): "begin \(track.name) in \(track.file)"
            case .beginTrack(let track): "begin \(track.name) in \(track.file)"
            }
        }
    }

    @Test(
        "asks of devices and files what a change needs",
        arguments: [
            (["disable desk"], ["desk: off"]),
            (["disable desk", "enable desk"], ["desk: mjpeg 1280x720 at 30"]),
            (["format desk 640x480"], ["desk: mjpeg 640x480 at 30"]),
            (["format desk 640x480", "format desk 1280x720@30"], ["desk: mjpeg 1280x720 at 30"]),
            // Where no copy of it goes on any more, any kind of frame will do.
            (["end desk", "format desk 320x240"], ["desk: yuyv 320x240 at 30"]),
            // It has that when it is switched on.
            (["disable desk", "format desk 640x480"], []),
            (["disable desk", "format desk 640x480", "enable desk"], ["desk: mjpeg 640x480 at 30"]),
            (["end face"], ["end face"]),
            (["end face", "begin face"], ["begin face.2 in cameras/face.2.mov"]),
            (["end face", "begin face", "end face"], ["end face.2"]),
            (["end face", "begin face", "end face", "begin face"], ["begin face.3 in cameras/face.3.mov"]),
            (["remove face"], ["end face"]), (["remove desk"], ["end desk", "desk: off"]),
            (["end desk", "remove desk"], ["desk: off"]), (["end host"], ["end host"]),
            (["end host", "begin host"], ["begin host.2 in audio/host.2.wav"]),
            (["end host", "begin host", "end host"], ["end host.2"]), (["disable host"], ["host: off"]),
            (["disable host", "enable host"], ["host: on"]), (["remove host"], ["end host", "host: off"]),
            (["end host", "remove host"], ["host: off"]),
        ])
    func orders(lines: [String], orders: [String]) throws {
        var running = try Self.running()
        #expect(try Self.apply(lines, to: &running) == orders)
    }

    @Test("asks a camera again for what it did not take, and not for what it went on in")
    func refused() throws {
        var running = try Self.running()
        func format(_ size: FrameSize) -> VideoFormat {
            VideoFormat(pixel: .mjpeg, size: size, rate: FrameRate(30))
        }
        let (small, large) = (
            format(FrameSize(width: 640, height: 480)), format(FrameSize(width: 1280, height: 720))
        )
        try Self.apply(["format desk 640x480"], to: &running)
        running.note(small, of: "desk", goesOnIn: large)
        #expect(throws: SessionChangeError.self) { try Self.apply(["format desk 1280x720"], to: &running) }
        #expect(try Self.apply(["format desk 640x480"], to: &running) == ["desk: \(small)"])
        // Something else is wanted by now.
        try Self.apply(["format desk 1280x720"], to: &running)
        running.note(small, of: "desk", goesOnIn: small)
        #expect(throws: SessionChangeError.self) { try Self.apply(["format desk 1280x720"], to: &running) }
    }

    @Test(
        "refuses what cannot be in one sentence, and is as before",
        arguments: [
            ("enable desk", "is on already"),
            ("format desk 1280x720", "delivers mjpeg 1280x720 at 30 already"),
            ("format desk 800x600", "it has 1280x720 or 640x480"),
            ("format desk 320x240", "does not offer 320x240 as mjpeg"),
            ("format desk 1280x720@25", "the nearest is 30"),
            ("format desk 1280x720@10", "room for 16.7 and more"),
            ("format face 640x480", "cannot go on otherwise"),
            ("disable guest", "End its track first: `end guest`"),
            ("begin face", "has a track of its own already"), ("format host 640x480", "is a microphone"),
            ("begin host", "has a track of its own already"), ("enable host", "is on already"),
            ("remove nobody", "it has desk, face, guest or host"),
        ])
    func refuses(line: String, reason: String) throws {
        var running = try Self.running()
        let before = running
        let error = #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(running == before)
    }

    @Test("a camera that was taken out is nobody's any more, and what the program shows closes up")
    func removes() throws {
        var running = try Self.running()
        try Self.apply(["remove desk"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["face"])
        for line in ["swap desk", "unhide desk", "begin desk", "format desk 640x480", "remove face"] {
            #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
        }
        running.renew(try Self.running().plan, devices: RunningDevices(offers: ["desk": Self.offers]))
        try Self.apply(["unhide desk"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["face", "desk"])
    }

    @Test("a track that shares its file with others is not ended", arguments: ["face", "host"])
    func shared(role: String) throws {
        var running = try Self.running(
            Self.profile.replacing("microphones: wav }", with: "microphones: wav, files: one }"))
        let error = #expect(throws: SessionChangeError.self) { try Self.apply(["end \(role)"], to: &running) }
        #expect(error?.description.contains("files: one-each") == true)
    }

    @Test(
        "a microphone that was taken out is nobody's any more, and one that is taken in is heard when that is asked"
    )
    func microphones() throws {
        var running = try Self.running(
            Self.profile.replacing("inset: face }", with: "inset: face, audio: { mix: [host] } }"))
        var guest = try #require(running.plan.microphones.first)
        guest.role = "guest.2"
        #expect(throws: Never.self) { try running.admit(guest, nil) }
        for taken in ["host", "face", "program"] {
            guest.role = taken
            #expect(throws: SessionChangeError.self) { try running.admit(guest, nil) }
        }
        try Self.apply(["remove host", "unmute guest.2"], to: &running)
        #expect(running.plan.program?.mix == ["guest.2"])
        for line in ["begin host", "unmute host", "gain host 3", "disable host"] {
            let error = #expect(throws: SessionChangeError.self) { try Self.apply([line], to: &running) }
            #expect(error?.description.contains("guest.2.") == true, "\(error?.description ?? "")")
        }
        running.renew(try Self.running().plan, devices: RunningDevices())
        #expect(running.plan.microphones.map(\.role) == ["host"] && running.plan.program?.mix == [])
    }

    @Test("another camera has a role of its own, and is shown when that is asked")
    func admits() throws {
        var running = try Self.running()
        var camera = try #require(running.plan.cameras.first)
        camera.role = "host"
        #expect(throws: SessionChangeError.self) { try running.admit(camera, nil, offers: nil) }
        camera.role = "audience"
        try running.admit(camera, nil, offers: nil)
        #expect(running.plan.program?.arrangement.shown == ["desk", "face"])
        try Self.apply(["swap audience"], to: &running)
        #expect(running.plan.program?.arrangement.shown == ["audience", "face"])
        #expect(throws: SessionChangeError.self) { try running.admit(camera, nil, offers: nil) }
        camera.role = "stream"
        camera.format = VideoFormat(pixel: .h264, size: camera.format.size, rate: camera.format.rate)
        let track = try #require(running.plan.cameraTracks.first)
        #expect(throws: SessionChangeError.self) { try running.admit(camera, track, offers: nil) }
        // It is of that recording alone.
        running.renew(try Self.running().plan, devices: RunningDevices())
        #expect(running.plan.program?.arrangement.shown == ["face"])
        #expect(running.plan.cameras.map(\.role) == ["desk", "face", "guest"])
    }
}
