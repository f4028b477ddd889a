import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamSetup

@Suite("Saved calibrations of devices")
struct CalibrationsTests {
    private static let format = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private static let microphone = DeviceIdentity(name: "Desk microphone")

    private func measured(
        _ device: CaptureDevice, latency: Int64 = 80, format: VideoFormat = format, role: String = "desk",
        reference: DeviceIdentity = microphone
    ) -> CalibratedDevice {
        CalibratedDevice(
            identity: device.identity, selector: Calibrations.ownSelector(of: device),
            format: .video(format: format), correction: .milliseconds(latency),
            uncertainty: .milliseconds(1), spread: .milliseconds(8), events: 10, role: role,
            reference: reference, date: "2026-11-21T14:23:10Z")
    }

    private func plan(
        _ cameras: [String], format: VideoFormat = format, source: CorrectionSource = .none
    ) -> SessionPlan {
        SessionPlan(
            profile: "test",
            cameras: cameras.map {
                PlannedCamera(
                    role: $0, selector: "any", identity: DeviceIdentity(name: ""), format: format,
                    latencySource: source)
            },
            microphones: [], program: nil, cameraTracks: [], microphoneTracks: [])
    }

    private func applied(
        _ calibrations: Calibrations, to plan: SessionPlan, _ devices: [String: CaptureDevice],
        among present: [CaptureDevice]? = nil
    ) -> SessionPlan {
        calibrations.applied(
            to: plan,
            with: Calibrations.Devices(
                byRole: devices, cameras: present ?? Array(devices.values), microphones: []))
    }

    @Test("a camera is recognized at another port by serial number, and a new measurement replaces the old")
    func moved() {
        var calibrations = Calibrations()
        let (camera, moved) = (webcam(port: 1, serial: "A"), webcam(port: 5, serial: "A"))
        calibrations.add(measured(camera), of: camera, among: [camera])
        let plan = applied(calibrations, to: plan(["desk"]), ["desk": moved])
        #expect(plan.cameras[0].latency == .milliseconds(80))
        #expect(plan.cameras[0].latencySource == .calibration)
        calibrations.add(measured(moved, latency: 90), of: moved, among: [moved])
        #expect(calibrations.devices.map(\.correction) == [.milliseconds(90)])
    }

    @Test("identical cameras have separate calibrations by port, and at new ports neither is used")
    func twins() {
        var calibrations = Calibrations()
        let (left, right) = (webcam(port: 1), webcam(port: 2))
        calibrations.add(measured(left, latency: 70), of: left, among: [left, right])
        calibrations.add(measured(right, latency: 90), of: right, among: [left, right])
        let both = applied(calibrations, to: plan(["l", "r"]), ["l": left, "r": right])
        #expect(both.cameras.map(\.latency) == [.milliseconds(70), .milliseconds(90)])
        let elsewhere = ["l": webcam(port: 3), "r": webcam(port: 4)]
        #expect(
            applied(calibrations, to: plan(["l", "r"]), elsewhere).cameras.map(\.latencySource)
                == [.none, .none])
    }

    @Test("a calibration for another format isn't used, with a note; the profile's value takes precedence")
    func formats() {
        var calibrations = Calibrations()
        let camera = webcam(port: 1)
        calibrations.add(measured(camera), of: camera, among: [camera])
        let fast = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(60))
        let other = applied(calibrations, to: plan(["desk"], format: fast), ["desk": camera])
        #expect(other.cameras[0].latencySource == .none)
        #expect(other.notes.count == 1)
        #expect(other.notes[0].contains("mjpeg 1280x720 at 30, not with mjpeg 640x480 at 60"))
        calibrations.add(measured(camera, latency: 40, format: fast), of: camera, among: [camera])
        #expect(calibrations.devices.count == 2)
        let said = applied(calibrations, to: plan(["desk"], source: .profile), ["desk": camera])
        #expect(said.cameras[0].latency == .zero && said.notes.isEmpty)
    }

    @Test("a calibration of a synthetic camera applies only to the same selector, and never to a real one")
    func synthetic() {
        func virtual(_ selector: String) -> CaptureDevice {
            CaptureDevice(
                mediaType: .video, deviceType: .virtual,
                identity: DeviceIdentity(product: "virtual", serial: "camera-desk", name: "Virtual"),
                name: "Virtual", node: selector, selector: selector)
        }
        var calibrations = Calibrations()
        let one = virtual("virtual:clap?drift=100")
        calibrations.add(measured(one), of: one, among: [])
        func source(_ device: CaptureDevice) -> CorrectionSource {
            applied(calibrations, to: plan(["desk"]), ["desk": device]).cameras[0].latencySource
        }
        #expect(source(one) == .calibration)
        #expect(source(virtual("virtual:clap")) == .none)
        #expect(source(webcam(port: 1, serial: "camera-desk", name: "Virtual", product: "virtual")) == .none)
    }

    @Test("a note reports devices that were measured against different microphones")
    func references() {
        var calibrations = Calibrations()
        let (one, two) = (webcam(port: 1, serial: "A"), webcam(port: 2, serial: "B"))
        calibrations.add(measured(one), of: one, among: [one, two])
        calibrations.add(
            measured(two, reference: DeviceIdentity(name: "Lapel")), of: two, among: [one, two])
        let plan = applied(calibrations, to: plan(["a", "b"]), ["a": one, "b": two])
        #expect(plan.notes.count == 1)
        #expect(plan.notes[0].contains("“Desk microphone” and “Lapel”"))
        let single = applied(calibrations, to: self.plan(["a"]), ["a": one], among: [one, two])
        #expect(single.notes.isEmpty)
    }

    @Test("deleting a device by role, name, or identity removes its calibrations in all formats")
    func forget() {
        var calibrations = Calibrations()
        let (one, two) = (webcam(port: 1, serial: "A"), webcam(port: 2, serial: "B"))
        calibrations.add(measured(one), of: one, among: [one, two])
        calibrations.add(measured(two, role: "face"), of: two, among: [one, two])
        var copy = calibrations
        #expect(copy.remove("side").isEmpty)
        #expect(copy.remove("face").map(\.identity) == [two.identity])
        #expect(copy.remove(one.identity.description).map(\.role) == ["desk"])
        #expect(copy.devices.isEmpty)
        #expect(calibrations.remove("Webcam").count == 2)
    }

    // MARK: The file

    @Test("saved calibrations are read back unchanged")
    func roundTrip() throws {
        let place = try StateFixture()
        let camera = webcam(port: 1, serial: "A\u{1B}\"")
        #expect(
            try place.calibrations.update { $0.add(measured(camera), of: camera, among: [camera]) } == nil)
        let (content, warning) = place.calibrations.read()
        #expect(warning == nil)
        #expect(content.devices == [measured(camera)])
    }

    @Test(
        "an invalid file or one of another version is renamed with a warning",
        arguments: ["", "{", "[]", "{\"schema\": 2, \"devices\": []}", "{\"schema\": 1, \"devices\": [7]}"])
    func broken(text: String) throws {
        let place = try StateFixture()
        _ = try place.write(text, to: "calibration.json")
        let (content, warning) = place.calibrations.read()
        #expect(content == Calibrations())
        #expect(warning?.contains("the device calibration cannot be read") == true)
        #expect(warning?.contains("renamed to calibration.json.broken") == true)
        #expect(place.calibrations.read().warning == nil)
        let camera = webcam(port: 1)
        _ = try place.calibrations.update { $0.add(measured(camera), of: camera, among: [camera]) }
        #expect(place.calibrations.read().content.devices.count == 1)
    }

    @Test("if saving fails, the error states the problem and the remedy")
    func readOnly() {
        let file = StateFile<Calibrations>(path: "/proc/multicam/calibration.json")
        let error = #expect(throws: StateFileError.self) { try file.update { _ = $0.remove("desk") } }
        #expect(error?.description.contains("failed to save the device calibration") == true)
        #expect(error?.description.contains("XDG_STATE_HOME") == true)
    }

    @Test("concurrent updates preserve each other's changes")
    func concurrent() throws {
        let place = try StateFixture()
        let file = StateFile<Calibrations>(path: place.calibrations.path, lockTimeout: .seconds(3600))
        let failures = ConditionLock<[any Error]>([])
        let threads = (0..<4).map { writer in
            MediaThread.startWhenPossible(name: "writer \(writer)") {
                for number in 0..<4 {
                    let camera = webcam(port: 1, serial: "\(writer)-\(number)")
                    do {
                        _ = try file.update { $0.add(measured(camera), of: camera, among: [camera]) }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0.count } == 0)
        #expect(file.read().content.devices.count == 16)
    }
}
