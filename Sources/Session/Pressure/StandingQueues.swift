/// What stands in each queue all of the time: the lowest age seen since the last look.
///
/// A queue that fills for a moment does its work; one that never becomes empty is behind (the idea of CoDel, RFC 8289).
struct StandingQueues: Sendable {
    private var lowest: [String: QueueAge] = [:]

    mutating func note(_ ages: [QueueAge]) {
        for age in ages {
            if let known = lowest[age.name], known.intervals <= age.intervals { continue }
            lowest[age.name] = age
        }
    }

    /// Hands over what was seen, and begins anew.
    mutating func take() -> [QueueAge] {
        defer { lowest.removeAll() }
        return lowest.values.sorted { $0.name < $1.name }
    }
}
