import MulticamMedia
import Testing

@Suite("A camera's controls")
struct DeviceControlTests {
    private static let focus = DeviceControl(
        name: "focus_absolute", value: 0, minimum: 0, maximum: 252, step: 5, defaultValue: 10)
    private static let light = DeviceControl(
        name: "power_line_frequency", kind: .menu, value: 1, minimum: 0, maximum: 2, defaultValue: 1,
        menu: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"])
    private static let automatic = DeviceControl(
        name: "focus_automatic_continuous", kind: .boolean, value: 1, minimum: 0, maximum: 1, defaultValue: 1)

    @Test(
        "values are parsed from numbers, menu names, on/off words, and `default`",
        arguments: [
            ("40", focus, 40), ("default", focus, 10), ("60 hz", light, 2), ("dis", light, 0),
            ("0", light, 0), ("off", automatic, 0),
            ("ON", automatic, 1), ("true", automatic, 1),
        ] as [(String, DeviceControl, Int64)])
    func words(word: String, control: DeviceControl, value: Int64) throws {
        #expect(try control.value(of: word) == value)
    }

    @Test(
        "an invalid value is rejected with a message that lists the valid ones",
        arguments: [
            ("41", focus, "41 is out of range. Choose 0 to 252 in steps of 5."),
            ("-5", focus, "-5 is out of range. Choose 0 to 252 in steps of 5."),
            ("near", focus, "near is not a valid value. Choose a whole number."),
            ("70 Hz", light, "70 Hz is not a valid choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."),
            ("3", light, "3 is not a valid choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."),
            ("2", automatic, "2 is out of range. Choose 0 to 1."),
            ("half", automatic, "half is not a valid value. Choose on or off."),
        ])
    func refusals(word: String, control: DeviceControl, sentence: String) throws {
        let fault = #expect(throws: ControlFault.self) { _ = try control.value(of: word) }
        #expect(fault?.description == sentence)
        #expect(fault?.isUsageError == true)
    }

    @Test("a read-only control rejects every value, including its current one")
    func readOnly() {
        let control = DeviceControl(
            name: "privacy", kind: .boolean, value: 0, minimum: 0, maximum: 1, defaultValue: 0,
            isReadOnly: true)
        #expect(throws: ControlFault.readOnly) { try control.check(0) }
    }

    @Test("a range that spans all 64-bit integers doesn't overflow")
    func widest() throws {
        let control = DeviceControl(
            name: "wide", value: 0, minimum: .min, maximum: .max, step: 1, defaultValue: 0)
        #expect(throws: ControlFault.self) { try control.check(.max) }
        try control.check(.min)
        #expect(control.nearest(to: .max) == .max)
    }

    @Test(
        "the nearest valid value is on a step and within the range",
        arguments: [
            (42, 40), (43, 45), (-7, 0), (9999, 250), (250, 250),
        ] as [(Int64, Int64)])
    func nearest(wish: Int64, value: Int64) throws {
        #expect(Self.focus.nearest(to: wish) == value)
        try Self.focus.check(value)
    }

    @Test(
        "the error for an unknown name lists similar names, or all names if none is similar",
        arguments: [
            (
                "focus_absolut",
                "Similar controls: focus_absolute, exposure_time_absolute, focus_automatic_continuous."
            ),
            ("exposure", "Similar controls: auto_exposure, exposure_time_absolute."),
            (
                "bogus",
                "Available controls: brightness, auto_exposure, exposure_time_absolute, focus_absolute, focus_automatic_continuous."
            ),
        ])
    func unknown(name: String, end: String) {
        let names = [
            "brightness", "auto_exposure", "exposure_time_absolute", "focus_absolute",
            "focus_automatic_continuous",
        ]
        let sentence = ControlFault.unknownControl(name, names: names).description
        #expect(sentence.hasPrefix("this camera does not have this control"))
        #expect(sentence.hasSuffix(end))
    }

    @Test("a bit mask accepts only its own bits")
    func bits() throws {
        let mask = DeviceControl(
            name: "lights", kind: .bitmask, value: 0, minimum: 0, maximum: 0b1010, step: 0, defaultValue: 0)
        #expect(try mask.value(of: "10") == 10)
        #expect(throws: ControlFault.invalidBits(3, of: 10)) { try mask.check(3) }
        #expect(throws: ControlFault.invalidBits(-1, of: 10)) { try mask.check(-1) }
    }
}
