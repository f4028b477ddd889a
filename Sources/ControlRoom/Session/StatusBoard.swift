internal import SessionFolder

/// The recorder's status as it came last, and what has changed since pages were told. A value of the web loop.
struct StatusBoard {
    /// The status, field by field; empty while no recorder is there.
    private(set) var fields: [String: JSONValue] = [:]
    private var lastTime = 0

    /// How many of the statuses tell the time when nothing else has changed: one a second.
    private static let timeInterval = 10

    /// Takes a status.
    ///
    /// - Parameter text: An object of JSON.
    /// - Returns: The fields that have changed, `null` for those that are gone; `nil` where there is nothing to tell.
    mutating func take(_ text: String) -> [String: JSONValue]? {
        guard let now = WebJSON.object(text) else { return nil }
        defer { fields = now }
        var changes: [String: JSONValue] = [:]
        for (name, value) in now where name != "time_ns" {
            if fields[name] != value { changes[name] = value }
        }
        for name in fields.keys where now[name] == nil { changes[name] = .null }
        lastTime += 1
        guard !changes.isEmpty || lastTime >= Self.timeInterval else { return nil }
        lastTime = 0
        changes["time_ns"] = now["time_ns"]
        return changes
    }

    /// Forgets the status of a recorder that is gone.
    mutating func clear() { fields = [:] }

    /// `recording`, `standby` and so on; empty while no recorder is there.
    var state: String { fields["state"]?.string ?? "" }

    /// Name of the session folder into which is recorded; `nil` for none.
    var recording: String? {
        (fields["folder"]?.string).flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    /// Roles of the cameras, in the order of the plan.
    var cameras: [String] { roles("cameras") }

    /// Roles of the microphones, in the order of the plan.
    var microphones: [String] { roles("microphones") }

    private struct Tally: Encodable {
        let state: String
        let cameras: [String: String]
    }

    private func roles(_ name: String) -> [String] {
        (fields[name]?.array ?? []).compactMap { $0["role"]?.string }
    }

    /// Whether there is a program with audio.
    var hasMix: Bool { !(fields["program"]?["mix"]?.array ?? []).isEmpty }

    /// Whether there is a program.
    var hasProgram: Bool { if case .object = fields["program"] { true } else { false } }

    /// T0 on CLOCK_MONOTONIC in nanoseconds, while a recording runs and the recorder tells.
    var start: Int64? { fields["t0_monotonic_ns"]?.integer }

    /// Who is on air, as the page shows it: in an inset, otherwise in the frame (`main`), or off. What is composed counts where the recorder tells it, since
    /// a change is shown a moment after it was asked for.
    var tally: String { WebJSON.text(Tally(state: state, cameras: tallies)) }

    /// `main`, `inset` or `off` of each camera, by roles.
    private var tallies: [String: String] {
        let program = fields["program"]
        let shown = ((program?["on_air"] ?? program?["shown"])?.array ?? []).map(\.string)
        let layout = program?["layout"] ?? fields["arrangement"]?["layout"]
        let hasInset = layout == "pip"
        var tallies: [String: String] = [:]
        for role in cameras {
            let place = shown.firstIndex(of: role)
            tallies[role] = place.map { hasInset && $0 > 0 ? "inset" : "main" } ?? "off"
        }
        return tallies
    }

    /// Role and tally of each camera, by the name of the device that plays the role.
    var devices: [String: (role: String, tally: String)] {
        let tallies = tallies
        var devices: [String: (role: String, tally: String)] = [:]
        for camera in fields["cameras"]?.array ?? [] {
            guard let name = camera["name"]?.string, let role = camera["role"]?.string else { continue }
            devices[name] = (role, tallies[role] ?? "off")
        }
        return devices
    }
}
