/// The lowest age of each queue since the last look: the part of it that stands all of the time.
///
/// A queue that fills for a moment does its work; one that never becomes empty is behind (the idea of CoDel, RFC 8289).
package struct StandingQueues: Sendable {
    private var lowest: [String: QueueAge] = [:]

    package init() {}

    /// Takes note of the present ages.
    package mutating func note(_ ages: [QueueAge]) {
        for age in ages {
            if let known = lowest[age.name], known.intervals <= age.intervals { continue }
            lowest[age.name] = age
        }
    }

    /// Returns the lowest ages by name, and begins anew.
    package mutating func take() -> [QueueAge] {
        defer { lowest.removeAll() }
        return lowest.values.sorted { $0.name < $1.name }
    }
}
