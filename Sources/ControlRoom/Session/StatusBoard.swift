internal import Foundation

/// The recorder's status as it came last, and what has changed since pages were told. A value of the web loop.
struct StatusBoard {
    /// The status, field by field; empty while no recorder is there.
    private(set) var fields: [String: Any] = [:]
    private var lastTime = 0

    /// How many of the statuses tell the time when nothing else has changed: one a second.
    private static let timeInterval = 10

    /// Takes a status.
    ///
    /// - Parameter text: An object of JSON.
    /// - Returns: The fields that have changed, `NSNull` for those that are gone; `nil` where there is nothing to tell.
    mutating func take(_ text: String) -> [String: Any]? {
        guard let now = WebJSON.object(text) else { return nil }
        defer { fields = now }
        var changes: [String: Any] = [:]
        for (name, value) in now where name != "time_ns" {
            if let before = fields[name] as? NSObject, before.isEqual(value) { continue }
            changes[name] = value
        }
        for name in fields.keys where now[name] == nil { changes[name] = NSNull() }
        lastTime += 1
        guard !changes.isEmpty || lastTime >= Self.timeInterval else { return nil }
        lastTime = 0
        changes["time_ns"] = now["time_ns"]
        return changes
    }

    /// Forgets the status of a recorder that is gone.
    mutating func clear() { fields = [:] }

    /// `recording`, `standby` and so on; empty while no recorder is there.
    var state: String { fields["state"] as? String ?? "" }

    /// Roles of the cameras, in the order of the plan.
    var cameras: [String] { roles("cameras") }

    /// Roles of the microphones, in the order of the plan.
    var microphones: [String] { roles("microphones") }

    private func roles(_ name: String) -> [String] {
        (fields[name] as? [[String: Any]] ?? []).compactMap { $0["role"] as? String }
    }

    /// Whether there is a program with audio.
    var hasMix: Bool { !((fields["program"] as? [String: Any])?["mix"] as? [String] ?? []).isEmpty }

    /// Whether there is a program.
    var hasProgram: Bool { fields["program"] is [String: Any] }

    /// T0 on CLOCK_MONOTONIC in nanoseconds, while a recording runs and the recorder tells.
    var start: Int64? { (fields["t0_monotonic_ns"] as? NSNumber)?.int64Value }

    /// Who is on air, as the page shows it: in an inset, otherwise in the frame (`main`), or off. What is composed counts where the recorder tells it, since
    /// a change is shown a moment after it was asked for.
    var tally: String {
        let program = fields["program"] as? [String: Any]
        let shown = (program?["on_air"] ?? program?["shown"]) as? [String] ?? []
        let layout = program?["layout"] ?? (fields["arrangement"] as? [String: Any])?["layout"]
        let hasInset = layout as? String == "pip"
        var cameras: [String: Any] = [:]
        for role in self.cameras {
            let place = shown.firstIndex(of: role)
            cameras[role] = place.map { hasInset && $0 > 0 ? "inset" : "main" } ?? "off"
        }
        return WebJSON.text(of: ["state": state, "cameras": cameras])
    }
}
