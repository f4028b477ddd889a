/// What stands in each queue all of the time: the lowest age seen since the last look.
///
/// A queue that fills for a moment does its work; one that never becomes empty is behind (the idea of CoDel, RFC 8289).
package struct StandingQueues: Sendable {

    package init() {
    }
    private var lowest: [String: QueueAge] = [:]

    package mutating func note(_ ages: [QueueAge]) {
        for age in ages {
            if let known = lowest[age.name], known.intervals <= age.intervals { continue }
            lowest[age.name] = age
        }
    }

    /// Hands over what was seen, and begins anew.
    package mutating func take() -> [QueueAge] {
        defer { lowest.removeAll() }
        return lowest.values.sorted { $0.name < $1.name }
    }
}
