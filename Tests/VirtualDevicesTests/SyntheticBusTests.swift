import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Synthetic buses")
struct SyntheticBusTests {
    private func camera(_ role: String, _ bus: String?, _ words: String) throws -> VirtualCamera {
        let place = bus.map { "&bus=\($0)" } ?? ""
        return try VirtualCamera(
            role: role, settings: VirtualCameraSettings(selector: "virtual:bars?\(words)\(place)"))
    }

    private func start(_ camera: VirtualCamera) throws(DeviceError) {
        try camera.start(on: MonotonicClock()) { _ in }
    }

    @Test("have the capacity of a real bus, and release it when a stream stops")
    func room() throws {
        let raw = "format=yuyv&size=640x480&fps=30"
        let first = try camera("a", "room-test", raw)
        let second = try camera("b", "room-test", raw)
        let elsewhere = try camera("c", "room-test-2", raw)
        try start(first)
        defer { first.stop() }
        try start(elsewhere)
        defer { elsewhere.stop() }
        let refusal = #expect(throws: DeviceError.self) { try start(second) }
        guard case .noBandwidth(let shortage)? = refusal?.reason else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        // A payload of 2316 bytes needs the alternate setting of 2688 bytes, which takes 52.9 µs. The rest
        // has capacity for 1984 bytes.
        #expect(shortage.controller == "room-test" && shortage.claims.map(\.share.bytes) == [2688])
        #expect(shortage.requested?.bytes == 2688 && shortage.fitting?.bytes == 1984)
        first.stop()
        try start(second)
        second.stop()
        second.stop()
        try start(first)
    }

    @Test("reject a stream that exceeds all alternate settings")
    func tooLarge() throws {
        let large = try camera("a", "large-test", "format=yuyv&size=1280x720&fps=30")
        #expect(throws: DeviceError.self) { try start(large) }
    }

    @Test("do not limit cameras without a bus")
    func alone() throws {
        let cameras = try (0..<3).map { try camera("c\($0)", nil, "format=yuyv&size=1280x720&fps=30") }
        for camera in cameras { try start(camera) }
        for camera in cameras { camera.stop() }
        #expect(try SyntheticBus.camera(cameras[0].device.identity, of: "virtual:clap") == nil)
        #expect(try SyntheticBus.camera(cameras[0].device.identity, of: "/dev/video0") == nil)
    }

    @Test("carry three streams of 720p30 MJPEG, but not four")
    func compressed() throws {
        let cameras = try (0..<4).map { try camera("c\($0)", "mjpeg-test", "size=1280x720&fps=30") }
        for camera in cameras.prefix(3) { try start(camera) }
        #expect(throws: DeviceError.self) { try start(cameras[3]) }
        for camera in cameras { camera.stop() }
    }
}
