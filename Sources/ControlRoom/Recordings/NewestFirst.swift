internal import Media

/// Orders that wait for a thread, of which the newest is taken first: who scrubs through a recording wants the frame of now. Safe to
/// use from any thread.
final class NewestFirst<Order: Sendable>: Sendable {
    private struct State {
        var waiting: [Order] = []
        var isFinished = false
    }

    private let state = ConditionLock(State())
    private let capacity: Int

    /// Creates an empty heap.
    ///
    /// - Parameter capacity: How many orders may wait, at least one.
    init(capacity: Int) {
        precondition(capacity > 0, "there is room for one order")
        self.capacity = capacity
    }

    /// Adds an order. Never blocks.
    ///
    /// - Returns: The oldest order, which gives way where too many wait.
    func put(_ order: Order) -> Order? {
        state.signal { state in
            state.waiting.append(order)
            return state.waiting.count > capacity ? state.waiting.removeFirst() : nil
        }
    }

    /// Sleeps until there is an order. `nil` once `finish` was called.
    func next() -> Order? {
        state.wait { state in
            if state.isFinished { return .some(nil) }
            return state.waiting.popLast().map { .some($0) }
        }
    }

    /// Whether nothing is taken any more.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Ends: nothing that waits is taken any more.
    func finish() { state.broadcast { $0.isFinished = true } }
}
