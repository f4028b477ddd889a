import Media
import Testing

@testable import Plan
@testable import Profiles

@Suite("Cameras that are to see alike")
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

    /// Metered: 25 ms, gain 12, 4300 K.
    private static let desk = [
        exposureMenu(), number("exposure_time_absolute", 250, 3...2047), number("gain", 12, 0...255),
        whiteBalance,
        number("white_balance_temperature", 4300, 2800...6500),
    ]

    private func matched(
        _ follower: [DeviceControl], traits: [CameraMatch.Trait] = CameraMatch.usualTraits
    ) -> MatchedControls {
        MatchedControls(traits, of: ("desk", Self.desk), on: ("face", follower))
    }

    @Test(
        "a camera of the same kind gets exposure time, gain and colour temperature, what is automatic first")
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

    @Test("only what was named is taken over")
    func traits() {
        #expect(
            matched(Self.desk, traits: [.whiteBalance]).requests.map(\.name) == [
                "white_balance_automatic", "white_balance_temperature",
            ])
        #expect(matched(Self.desk, traits: [.focus, .size]).requests.isEmpty)
    }

    @Test("what a camera cannot follow is said in a sentence each, and it comes as near as it can")
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
                "face: its exposure time goes from 0.1 ms to 10.0 ms, so it has 10.0 ms in place of the 25.0 ms of desk.",
                "face: it has no control for its gain and cannot follow desk to 12.",
                "face: its colour temperature goes from 3000 K to 7000 K, so it has 4000 K in place of the 4300 K of desk.",
            ])
    }

    @Test("a camera without such controls says so for each")
    func none() {
        #expect(
            matched([]).remarks == [
                "face: it has no control for its exposure time and cannot follow desk to 25.0 ms.",
                "face: it has no control for its gain and cannot follow desk to 12.",
                "face: it has no control for its colour temperature and cannot follow desk to 4300 K.",
            ])
    }

    @Test("an automatic exposure that cannot be switched off is left alone, and said")
    func alwaysAutomatic() {
        let matched = matched(
            [Self.exposureMenu([3: "Aperture Priority"]), Self.number("exposure_time_absolute", 9, 1...999)],
            traits: [.exposure])
        #expect(matched.requests.isEmpty)
        #expect(
            matched.remarks.first
                == "face: its auto_exposure cannot be switched off, so it may drift away from desk.")
    }

    @Test("the same number of another range of gains is set, and told to be perhaps another gain")
    func gains() {
        let matched = matched([Self.number("gain", 0, 0...100)], traits: [.exposure])
        #expect(matched.requests.map { "\($0.name)=\($0.value)" } == ["gain=12"])
        #expect(matched.remarks.contains { $0.contains("from 0 to 100") && $0.contains("another gain") })
    }

    @Test("focus is locked where it is: the automatic one ends, and the distance is the camera's own")
    func focus() {
        let own = [
            DeviceControl(
                name: "focus_automatic_continuous", kind: .boolean, value: 1, minimum: 0, maximum: 1,
                defaultValue: 1),
            Self.number("focus_absolute", 35, 0...250, step: 5),
        ]
        #expect(own.lockingFocus.map { "\($0.name)=\($0.value)" } == ["focus_automatic_continuous=0"])
        #expect(own.holdingFocus.map { "\($0.name)=\($0.value)" } == ["focus_absolute=35"])
        #expect(Self.desk.lockingFocus.isEmpty)
        #expect(Self.desk.holdingFocus.isEmpty)
    }

    @Test("automatic controls are at rest when nothing that they govern has moved for three looks")
    func metering() {
        var metering = Metering()
        func look(_ exposure: Int64) -> Bool {
            metering.take([Self.exposureMenu(), Self.number("exposure_time_absolute", exposure, 3...2047)])
        }
        #expect([100, 150, 200, 250].map(look) == [false, false, false, false])
        // A little hunting is rest.
        #expect([252, 249, 251].map(look) == [false, false, true])
        #expect([400, 400, 400].map(look) == [false, false, false])
        #expect(look(400))
    }
}
