import Testing

@testable import Capture

@Suite("Controls")
struct ControlNameTests {
    @Test(
        "names are as v4l2-ctl prints them",
        arguments: [
            ("Brightness", "brightness"), ("Focus, Automatic Continuous", "focus_automatic_continuous"),
            ("White Balance, Automatic", "white_balance_automatic"),
            ("Exposure Time, Absolute", "exposure_time_absolute"),
            ("  Pan (Absolute)  ", "pan_absolute"), ("Power Line Frequency", "power_line_frequency"),
            ("", ""), ("--", ""),
        ])
    func snakeCase(driversName: String, name: String) {
        #expect(ControlName.snakeCase(driversName) == name)
    }

    @Test("automatic ones are set first, otherwise the order stays")
    func order() {
        let ordered = ControlName.ordered([
            ("focus_absolute", 30), ("zoom_absolute", 100), ("focus_automatic_continuous", 0),
            ("auto_exposure", 1),
        ])
        #expect(
            ordered.map(\.name) == [
                "focus_automatic_continuous", "auto_exposure", "focus_absolute", "zoom_absolute",
            ])
    }
}
