import MulticamMedia
import Testing

@Suite("Automatic controls and the manual controls they govern")
struct ControlGovernorTests {
    private static func control(
        _ name: String, _ value: Int64, default usual: Int64, isInactive: Bool = false
    ) -> DeviceControl {
        DeviceControl(
            name: name, value: value, minimum: 0, maximum: 1000, defaultValue: usual, isInactive: isInactive)
    }

    private static func menu(_ value: Int64) -> DeviceControl {
        DeviceControl(
            name: "auto_exposure", kind: .menu, value: value, minimum: 0, maximum: 3, defaultValue: 3,
            menu: [1: "Manual Mode", 3: "Aperture Priority Mode"])
    }

    @Test("automatic controls are set first in any requested order; the others keep their order")
    func order() {
        let names = [
            "focus_absolute", "zoom_absolute", "focus_automatic_continuous", "auto_exposure", "hue_auto",
        ]
        let requests = names.map { ControlRequest(name: $0, value: 0) }
        #expect(
            ControlGovernor.ordered(requests).map(\.name) == [
                "focus_automatic_continuous", "auto_exposure", "hue_auto", "focus_absolute", "zoom_absolute",
            ])
    }

    @Test("a manual value is rejected while its automatic control is on, and the error names the fix")
    func governed() {
        let controls = [Self.menu(3), Self.control("exposure_time_absolute", 100, default: 156)]
        let wish = ControlRequest(name: "exposure_time_absolute", value: 50)
        #expect(controls.fault(in: [wish])?.fault == .governed(by: "auto_exposure", manual: 1))
        #expect(
            controls.fault(in: [wish])?.fault.description
                == "this control is set automatically by auto_exposure. Also set auto_exposure=1.")
        #expect(controls.fault(in: [wish, ControlRequest(name: "auto_exposure", value: 1)]) == nil)
        // Only the requested value matters, regardless of the current one.
        let manual = [Self.menu(1), Self.control("exposure_time_absolute", 100, default: 156)]
        #expect(manual.fault(in: [wish]) == nil)
        #expect(manual.fault(in: [wish, ControlRequest(name: "auto_exposure", value: 3)]) != nil)
    }

    @Test("a reset sets available controls first, then automatic ones, then the controls they release")
    func reset() {
        let controls = [
            Self.control("brightness", 5, default: 7), Self.menu(1),
            Self.control("exposure_time_absolute", 100, default: 156),
            Self.control("focus_automatic_continuous", 1, default: 0),
            Self.control("focus_absolute", 20, default: 0, isInactive: true),
        ]
        #expect(
            controls.resettingRequests.map { "\($0.name)=\($0.value)" } == [
                "brightness=7", "exposure_time_absolute=156", "auto_exposure=3",
                "focus_automatic_continuous=0",
                "focus_absolute=0",
            ])
    }

    @Test("the saved state of a camera omits values that automatic controls manage")
    func keeping() {
        let controls = [
            Self.control("brightness", 5, default: 7), Self.menu(3),
            Self.control("exposure_time_absolute", 100, default: 156),
            Self.control("focus_absolute", 20, default: 0),
            Self.control("focus_automatic_continuous", 0, default: 1),
        ]
        #expect(
            controls.restoringRequests.map { "\($0.name)=\($0.value)" } == [
                "auto_exposure=3", "focus_automatic_continuous=0", "brightness=5", "focus_absolute=20",
            ])
    }

    @Test("an outcome describes how the camera changed a request, and nothing if it didn't")
    func outcomes() {
        let wish = ControlRequest(name: "gain", value: 10)
        #expect(ControlOutcome(request: wish, value: 10).remark == nil)
        #expect(
            ControlOutcome(request: wish, value: 8).remark
                == "gain was set to 10, but the camera changed it to 8.")
        #expect(
            ControlOutcome(request: wish, value: 0, fault: .refused(10)).remark
                == "gain was not set to 10: the camera rejected 10. Try another value.")
    }
}
