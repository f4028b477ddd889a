package import Media

/// How something went over a whole recording, in a bounded number of points: when it has become too many, every second one
/// is left out, and from then on only every second one is taken.
package struct Course<Value: Sendable>: Sendable {
    package private(set) var points: [(time: MediaTime, value: Value)] = []
    private let capacity: Int
    private var stride = 1
    private var untilNext = 0

    /// - Parameter capacity: At least 2.
    package init(capacity: Int = 600) {
        self.capacity = capacity
    }

    package mutating func add(_ value: Value, at time: MediaTime) {
        guard untilNext == 0 else {
            untilNext -= 1
            return
        }
        points.append((time, value))
        untilNext = stride - 1
        guard points.count >= capacity else { return }
        points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        stride *= 2
    }
}
