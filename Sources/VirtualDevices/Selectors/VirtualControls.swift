import MulticamMedia

/// The controls of a synthetic camera. The controls resemble those of a webcam with automatic exposure, white balance,
/// and focus. Thread-safe.
///
/// The camera doesn't have controls for zoom, pan, and tilt, because the generated frame doesn't support
/// them. Zooming is therefore done by cropping, and the code strip stays readable.
///
/// While an automatic mode is on, the controls that it manages return the values that the mode has chosen.
/// These values depend only on the seed and the role, so cameras differ until their controls are matched.
/// When the mode is turned off, the controls keep those values.
final class VirtualControls: Sendable {
    private let state: ConditionLock<[DeviceControl]>
    private let metered: Metered

    /// The values chosen by the automatic modes.
    private struct Metered: Sendable {
        let exposureTime: Int64
        let temperature: Int64
        let focus: Int64
    }

    static let names = defaultControls.map(\.name)

    /// Creates the controls with default values. All automatic modes are on.
    ///
    /// - Parameters:
    ///   - missing: Names of controls that the camera doesn't have.
    ///   - choices: The camera's random choices.
    init(without missing: Set<String>, choices: SeededChoices) {
        func choice(_ index: Int64, _ range: ClosedRange<Int64>, step: Int64) -> Int64 {
            let count = (range.upperBound - range.lowerBound) / step + 1
            return range.lowerBound + Int64(choices.bits(.metered, of: index) % UInt64(count)) * step
        }
        metered = Metered(
            exposureTime: choice(0, 60...300, step: 1), temperature: choice(1, 3000...6000, step: 10),
            focus: choice(2, 20...200, step: 5))
        state = ConditionLock(Self.defaultControls.filter { !missing.contains($0.name) })
        state.withLock { applyAutomaticModes(&$0) }
    }

    /// All controls with their current values.
    var all: [DeviceControl] { state.withLock { $0 } }

    /// Sets controls in the given order and returns the outcome of each.
    func set(_ requests: [ControlRequest]) -> [ControlOutcome] {
        state.withLock { controls in
            let faults = requests.map { set($0, in: &controls) }
            return zip(requests, faults).map { request, fault in
                ControlOutcome(request: request, value: controls.named(request.name)?.value, fault: fault)
            }
        }
    }

    private func set(_ request: ControlRequest, in controls: inout [DeviceControl]) -> ControlFault? {
        if let (_, fault) = controls.fault(in: [request]) { return fault }
        for (index, control) in controls.enumerated() where control.name == request.name {
            controls[index] = control.with(value: request.value)
        }
        applyAutomaticModes(&controls)
        return nil
    }

    /// Sets each control that an automatic mode manages to the value that the mode has chosen.
    private func applyAutomaticModes(_ controls: inout [DeviceControl]) {
        for (index, control) in controls.enumerated() {
            let isGoverned = controls.governingFault(for: control.name, alongside: []) != nil
            let found: Int64? =
                switch control.name {
                case "exposure_time_absolute": metered.exposureTime
                case "white_balance_temperature": metered.temperature
                case "focus_absolute": metered.focus
                default: nil
                }
            let value = isGoverned ? found ?? control.value : control.value
            controls[index] = control.with(value: value, isInactive: isGoverned)
        }
    }

    /// The effect of the current controls on the scene. The value is `FrameAppearance.neutral` if all modes are
    /// automatic and the brightness is 0.
    var appearance: FrameAppearance {
        state.withLock { controls in
            func value(_ name: String) -> Int64? { controls.named(name)?.value }
            let neutral = Double(metered.exposureTime) * Self.amplification(Self.defaultGain)
            let exposure = Double(value("exposure_time_absolute") ?? metered.exposureTime)
            let gain = Self.amplification(value("gain") ?? Self.defaultGain)
            let isAutomatic = controls.governingFault(for: "exposure_time_absolute", alongside: []) != nil
            let temperature = Double(value("white_balance_temperature") ?? metered.temperature)
            return FrameAppearance(
                light: isAutomatic ? 1 : exposure * gain / neutral,
                offset: Double(value("brightness") ?? 0) / 128,
                warmth: temperature / Double(metered.temperature))
        }
    }

    private static func amplification(_ gain: Int64) -> Double { 1 + Double(gain) / 64 }

    private static let defaultGain: Int64 = 16

    private static let defaultControls: [DeviceControl] = [
        DeviceControl(name: "brightness", value: 0, minimum: -64, maximum: 64, defaultValue: 0),
        DeviceControl(
            name: "white_balance_automatic", kind: .boolean, value: 1, minimum: 0, maximum: 1, defaultValue: 1
        ),
        DeviceControl(name: "gain", value: defaultGain, minimum: 0, maximum: 255, defaultValue: defaultGain),
        DeviceControl(
            name: "power_line_frequency", kind: .menu, value: 1, minimum: 0, maximum: 2, defaultValue: 1,
            menu: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"]),
        DeviceControl(
            name: "white_balance_temperature", value: 4600, minimum: 2800, maximum: 6500, step: 10,
            defaultValue: 4600),
        DeviceControl(
            name: "auto_exposure", kind: .menu, value: 3, minimum: 0, maximum: 3, defaultValue: 3,
            menu: [1: "Manual Mode", 3: "Aperture Priority Mode"]),
        DeviceControl(
            name: "exposure_time_absolute", value: 156, minimum: 3, maximum: 2047, defaultValue: 156),
        DeviceControl(name: "focus_absolute", value: 0, minimum: 0, maximum: 250, step: 5, defaultValue: 0),
        DeviceControl(
            name: "focus_automatic_continuous", kind: .boolean, value: 1, minimum: 0, maximum: 1,
            defaultValue: 1),
    ]
}
