package import Media

/// The course of a value over a whole recording in a bounded number of points. When there are too many, every second point is
/// removed, and from then on only every second value is taken.
package struct Course<Value: Sendable>: Sendable {
    package private(set) var points: [(time: MediaTime, value: Value)] = []
    private let capacity: Int
    private var stride = 1
    private var untilNext = 0

    /// Creates an empty course of at most `capacity` points, at least 2.
    package init(capacity: Int = 600) {
        self.capacity = capacity
    }

    /// Takes a value at a time since T0.
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
