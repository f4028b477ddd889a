import Media
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
        "a person's words mean a value",
        arguments: [
            ("40", focus, 40), ("default", focus, 10), ("60 hz", light, 2), ("dis", light, 0),
            ("0", light, 0), ("off", automatic, 0),
            ("ON", automatic, 1), ("true", automatic, 1),
        ] as [(String, DeviceControl, Int64)])
    func words(word: String, control: DeviceControl, value: Int64) throws {
        #expect(try control.value(of: word) == value)
    }

    @Test(
        "what a control cannot have is refused in a sentence that says what it can have",
        arguments: [
            ("41", focus, "41 is not possible. Choose 0 to 252 in steps of 5."),
            ("-5", focus, "-5 is not possible. Choose 0 to 252 in steps of 5."),
            ("near", focus, "near means nothing here. Choose a whole number."),
            ("70 Hz", light, "70 Hz is no choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."),
            ("3", light, "3 is no choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."),
            ("2", automatic, "2 is not possible. Choose 0 to 1."),
            ("half", automatic, "half means nothing here. Choose on or off."),
        ])
    func refusals(word: String, control: DeviceControl, sentence: String) throws {
        let fault = #expect(throws: ControlFault.self) { _ = try control.value(of: word) }
        #expect(fault?.description == sentence)
        #expect(fault?.isUsage == true)
    }

    @Test("a control that can only be read takes nothing, not even its own value")
    func readOnly() {
        let control = DeviceControl(
            name: "privacy", kind: .boolean, value: 0, minimum: 0, maximum: 1, defaultValue: 0,
            isReadOnly: true)
        #expect(throws: ControlFault.readOnly) { try control.check(0) }
    }

    @Test("a range as wide as numbers go takes its ends and does not overflow")
    func widest() throws {
        let control = DeviceControl(
            name: "wide", value: 0, minimum: .min, maximum: .max, step: 1, defaultValue: 0)
        #expect(throws: ControlFault.self) { try control.check(.max) }
        try control.check(.min)
        #expect(control.nearest(to: .max) == .max)
    }

    @Test(
        "the nearest possible value is on a step and inside the range",
        arguments: [
            (42, 40), (43, 45), (-7, 0), (9999, 250), (250, 250),
        ] as [(Int64, Int64)])
    func nearest(wish: Int64, value: Int64) throws {
        #expect(Self.focus.nearest(to: wish) == value)
        try Self.focus.check(value)
    }

    @Test(
        "of an unknown name the nearest names are told, else all of them",
        arguments: [
            (
                "focus_absolut",
                "the nearest that it has: focus_absolute, exposure_time_absolute, focus_automatic_continuous."
            ),
            ("exposure", "the nearest that it has: auto_exposure, exposure_time_absolute."),
            (
                "bogus",
                "It has brightness, auto_exposure, exposure_time_absolute, focus_absolute, focus_automatic_continuous."
            ),
        ])
    func unknown(name: String, end: String) {
        let names = [
            "brightness", "auto_exposure", "exposure_time_absolute", "focus_absolute",
            "focus_automatic_continuous",
        ]
        let sentence = ControlFault.unknown(name, names: names).description
        #expect(sentence.hasPrefix("it has no such control"))
        #expect(sentence.hasSuffix(end))
    }

    @Test("a mask takes the bits that it has, and no others")
    func bits() throws {
        let mask = DeviceControl(
            name: "lights", kind: .bitmask, value: 0, minimum: 0, maximum: 0b1010, step: 0, defaultValue: 0)
        #expect(try mask.value(of: "10") == 10)
        #expect(throws: ControlFault.noBits(3, of: 10)) { try mask.check(3) }
        #expect(throws: ControlFault.noBits(-1, of: 10)) { try mask.check(-1) }
    }
}
