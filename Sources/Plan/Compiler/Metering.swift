package import Media

/// Watches what a camera's automatic controls do until they have come to rest.
///
/// A value: time is the number of looks.
package struct Metering {

    package init() {
    }
    private var last: [String: Int64] = [:]
    private var stillLooks = 0

    /// As many looks without a change in a row are rest. A look is a tenth of a second.
    private static let restLooks = 3
    /// Exposure hunts a little for ever.
    private static let tolerance = 0.03

    /// Takes the controls as they are at a look.
    ///
    /// - Returns: Whether exposure, colour and focus have come to rest.
    package mutating func take(_ controls: [DeviceControl]) -> Bool {
        let watched = controls.filter { ControlGovernor.of($0.name) != nil || $0.name == "gain" }
        let isStill = watched.allSatisfy { control in
            guard let before = last[control.name] else { return false }
            let allowed = max(Double(control.step), Double(before.magnitude) * Self.tolerance)
            return Double((control.value - before).magnitude) <= allowed
        }
        last = Dictionary(watched.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        stillLooks = isStill ? stillLooks + 1 : 0
        return stillLooks >= Self.restLooks
    }
}
