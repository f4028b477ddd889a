import Testing

@testable import MulticamCapture

@Suite("Camera control names")
struct ControlNameTests {
    @Test(
        "matches the names that v4l2-ctl prints",
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
}
