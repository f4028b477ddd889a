import MulticamMedia
import MulticamPlan
import MulticamSetup
import Testing

@Suite("A camera's rotation coordinator")
struct RotationCoordinatorTests {
    private static func camera(
        _ type: CaptureDevice.DeviceType, _ position: CaptureDevice.Position, mounting: Rotation = .none
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: type, position: position, mounting: mounting,
            identity: DeviceIdentity(name: "Cam"), name: "Cam", node: "/dev/video0", selector: "/dev/video0")
    }

    @Test("the current angles are reported first, then each change; a preview locked to portrait stays")
    func observed() async {
        let tracker = SyntheticTracker(.rotated(.none))
        let coordinator = RotationCoordinator(
            for: Self.camera(.builtIn, .back, mounting: .quarter), tracker: tracker, surface: .locked(.none))
        var changes = coordinator.changes().makeAsyncIterator()
        #expect(await changes.next() == RotationAngles(capture: .quarter, preview: .quarter))
        tracker.report(.rotated(.threeQuarters))
        #expect(await changes.next() == RotationAngles(capture: .none, preview: .quarter))
        coordinator.setSurface(.upright)
        #expect(await changes.next() == RotationAngles(capture: .none, preview: .none))
        coordinator.stop()
        #expect(await changes.next() == nil)
        tracker.report(.rotated(.half))
        #expect(coordinator.angles == RotationAngles(capture: .none, preview: .none))
        #expect(tracker.observerCount == 0)
    }

    @Test("an unknown orientation keeps the last angle and reports the reason")
    func unknown() {
        let tracker = SyntheticTracker(.rotated(.quarter))
        let coordinator = RotationCoordinator(for: Self.camera(.builtIn, .back), tracker: tracker)
        tracker.report(.unknown("the sensor is gone"))
        #expect(coordinator.angles.capture == .quarter && coordinator.problem == "the sensor is gone")
        tracker.report(.rotated(.half))
        #expect(coordinator.angles.capture == .half && coordinator.problem == nil)
    }

    @Test(
        "an external camera stays level while the computer turns; its preview on the computer's screen is rotated back"
    )
    func external() {
        let tracker = SyntheticTracker(.rotated(.half))
        let camera = Self.camera(.external, .unspecified)
        let screen = RotationCoordinator(for: camera, tracker: tracker, surface: .locked(.none))
        #expect(screen.angles == RotationAngles(capture: .none, preview: .half))
        let turned = RotationCoordinator(for: camera, rotation: .quarter, tracker: tracker)
        tracker.report(.rotated(.threeQuarters))
        #expect(turned.angles == RotationAngles(capture: .quarter, preview: .quarter))
    }

    @Test("a coordinator is released with its owner and stops tracking")
    func released() {
        let tracker = SyntheticTracker(.rotated(.none))
        for _ in 0..<3 { _ = RotationCoordinator(for: Self.camera(.builtIn, .front), tracker: tracker) }
        #expect(tracker.observerCount == 0)
    }
}
