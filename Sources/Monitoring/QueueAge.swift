package import MulticamMedia

/// The delay by which an encoder or a file writer has fallen behind.
package struct QueueAge: Sendable, Equatable {
    /// The kind of queue.
    package enum Kind: Sendable, Equatable {
        /// The queue of an encoder, with its capacity in frames. Frames that exceed the capacity are lost.
        case encoder(room: Int)
        /// The queue of a file.
        case writer
    }

    /// Whether the queue belongs to an encoder or a file.
    package let kind: Kind
    /// Name of the stream or the file.
    package let name: String
    /// Age of the oldest frame in the queue, in frame intervals.
    package let intervals: Double
    /// Estimated time to process the frames in the queue, based on the processing time of the last frames.
    /// The value is zero if the time is unknown.
    package let backlog: Nanoseconds

    /// Creates a queue age from its values.
    package init(_ kind: Kind, name: String, intervals: Double, backlog: Nanoseconds = .zero) {
        self.kind = kind
        self.name = name
        self.intervals = intervals
        self.backlog = backlog
    }
}

/// The minimum age of each queue since the last evaluation, which is the part of the queue that never drains.
///
/// A queue that fills only briefly is working as intended. A queue that never becomes empty indicates that
/// its consumer has fallen behind (based on CoDel, RFC 8289).
package struct StandingQueues: Sendable {
    private var lowest: [String: QueueAge] = [:]

    package init() {}

    /// Records the current ages of all queues.
    package mutating func record(_ ages: [QueueAge]) {
        for age in ages {
            if let known = lowest[age.name], known.intervals <= age.intervals { continue }
            lowest[age.name] = age
        }
    }

    /// Returns the minimum ages of all queues, sorted by name, and resets them.
    package mutating func drain() -> [QueueAge] {
        defer { lowest.removeAll() }
        return lowest.values.sorted { $0.name < $1.name }
    }
}
