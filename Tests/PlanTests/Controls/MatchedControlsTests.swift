import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("Cameras with matched controls")
struct MatchedControlsTests {
    private static func number(
        _ name: String, _ value: Int64, _ range: ClosedRange<Int64>, step: Int64 = 1
    ) -> DeviceControl {
        DeviceControl(
            name: name, value: value, minimum: range.lowerBound, maximum: range.upperBound, step: step,
            defaultValue: range.lowerBound)
    }

    private static func exposureMenu(_ items: [Int64: String] = [1: "Manual Mode", 3: "Aperture Priority"])
        -> DeviceControl
    {
        DeviceControl(
            name: "auto_exposure", kind: .menu, value: 3, minimum: 0, maximum: 3, defaultValue: 3, menu: items
        )
    }

    private static let whiteBalance = DeviceControl(
        name: "white_balance_automatic", kind: .boolean, value: 1, minimum: 0, maximum: 1, defaultValue: 1)

    /// The camera has metered 25 ms, gain 12, and 4300 K.
    private static let desk = [
        exposureMenu(), number("exposure_time_absolute", 250, 3...2047), number("gain", 12, 0...255),
        whiteBalance,
        number("white_balance_temperature", 4300, 2800...6500),
    ]

    private func matched(
        _ follower: [DeviceControl], traits: [CameraMatch.Trait] = CameraMatch.defaultTraits
    ) -> MatchedControls {
        MatchedControls(traits, of: ("desk", Self.desk), on: ("face", follower))
    }

    @Test(
        "a camera of the same model gets exposure time, gain, and color temperature after automatic modes")
    func same() {
        let matched = matched(Self.desk)
        #expect(
            matched.requests.map { "\($0.name)=\($0.value)" } == [
                "auto_exposure=1", "white_balance_automatic=0", "exposure_time_absolute=250", "gain=12",
                "white_balance_temperature=4300",
            ])
        #expect(matched.requests.allSatisfy { $0.origin == .match && $0.isOptional })
        #expect(matched.remarks.isEmpty)
    }

    @Test("only the named traits are matched")
    func traits() {
        #expect(
            matched(Self.desk, traits: [.whiteBalance]).requests.map(\.name) == [
                "white_balance_automatic", "white_balance_temperature",
            ])
        #expect(matched(Self.desk, traits: [.focus, .size]).requests.isEmpty)
    }

    @Test("each trait that a camera cannot match is reported in a sentence and approximated")
    func shortcomings() {
        let follower = [
            Self.exposureMenu(), Self.number("exposure_time_absolute", 10, 1...100),
            Self.number("white_balance_temperature", 5000, 3000...7000, step: 1000),
        ]
        let matched = matched(follower)
        #expect(
            matched.requests.map { "\($0.name)=\($0.value)" } == [
                "auto_exposure=1", "exposure_time_absolute=100", "white_balance_temperature=4000",
            ])
        #expect(
            matched.remarks == [
                "face: the exposure time range is 0.1 ms to 10.0 ms, so the camera uses 10.0 ms instead of the value of desk (25.0 ms).",
                "face: the camera has no gain control, so it cannot match the gain of desk (12).",
                "face: the color temperature range is 3000 K to 7000 K, so the camera uses 4000 K instead of the value of desk (4300 K).",
            ])
    }

    @Test("a camera without such controls reports each missing one")
    func none() {
        #expect(
            matched([]).remarks == [
                "face: the camera has no exposure time control, so it cannot match the value of desk (25.0 ms).",
                "face: the camera has no gain control, so it cannot match the gain of desk (12).",
                "face: the camera has no color temperature control, so it cannot match the value of desk (4300 K).",
            ])
    }

    @Test("an automatic exposure that cannot be switched off is left unchanged and reported")
    func alwaysAutomatic() {
        let matched = matched(
            [Self.exposureMenu([3: "Aperture Priority"]), Self.number("exposure_time_absolute", 9, 1...999)],
            traits: [.exposure])
        #expect(matched.requests.isEmpty)
        #expect(
            matched.remarks.first
                == "face: auto_exposure cannot be turned off, so the camera may not match desk.")
    }

    @Test("a gain is copied to a camera with another range, with a remark")
    func gains() {
        let matched = matched([Self.number("gain", 0, 0...100)], traits: [.exposure])
        #expect(matched.requests.map { "\($0.name)=\($0.value)" } == ["gain=12"])
        #expect(matched.remarks.contains { $0.contains("is 0 to 100") && $0.contains("a different gain") })
    }

    @Test("locking the focus turns autofocus off and keeps the camera's own distance")
    func focus() {
        let own = [
            DeviceControl(
                name: "focus_automatic_continuous", kind: .boolean, value: 1, minimum: 0, maximum: 1,
                defaultValue: 1),
            Self.number("focus_absolute", 35, 0...250, step: 5),
        ]
        #expect(own.focusLockRequests.map { "\($0.name)=\($0.value)" } == ["focus_automatic_continuous=0"])
        #expect(own.focusHoldRequests.map { "\($0.name)=\($0.value)" } == ["focus_absolute=35"])
        #expect(Self.desk.focusLockRequests.isEmpty)
        #expect(Self.desk.focusHoldRequests.isEmpty)
    }

    @Test("automatic controls are settled once their values are stable for three readings")
    func metering() {
        var metering = ControlSettlingMonitor()
        func addReading(_ exposure: Int64) -> Bool {
            metering.add([Self.exposureMenu(), Self.number("exposure_time_absolute", exposure, 3...2047)])
        }
        #expect([100, 150, 200, 250].map(addReading) == [false, false, false, false])
        // Small fluctuations count as settled.
        #expect([252, 249, 251].map(addReading) == [false, false, true])
        #expect([400, 400, 400].map(addReading) == [false, false, false])
        #expect(addReading(400))
    }
}
