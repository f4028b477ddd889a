package import Media

/// Watches a camera's automatic controls until they have come to rest.
///
/// A value: time is the number of calls.
package struct Metering {

    /// Creates a watch that has seen nothing.
    package init() {}

    private var last: [String: Int64] = [:]
    private var stillLooks = 0

    /// The number of calls in a row without a change that count as rest. One call is made every tenth of a second.
    private static let restLooks = 3
    /// The relative change that still counts as rest, as automatic exposure never stops changing a little.
    private static let tolerance = 0.03

    /// Takes the present values of a camera's controls.
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
