/// A FIFO queue of limited length that passes values between threads.
///
/// A writer that must never block uses `tryEnqueue`, which fails when the queue is full. A writer that must not
/// lose elements uses `enqueue`, which waits for space. Use `enqueue` only if a bounded wait is acceptable, for
/// example when writing to a file or in simulated time.
package final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element?] = []
        var head = 0
        var isFinished = false

        var count: Int { elements.count - head }

        var oldest: Element? { head < elements.count ? elements[head] : nil }

        mutating func popFirst() -> Element? {
            guard head < elements.count else { return nil }
            let element = elements[head]
            elements[head] = nil
            head += 1
            if head > 64, head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private let monitor = ConditionLock(State())
    /// Maximum number of queued elements, at least 1.
    package let capacity: Int

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: The maximum number of queued elements, at least 1.
    package init(capacity: Int) {
        precondition(capacity > 0, "the capacity of a queue must be at least 1")
        self.capacity = capacity
    }

    /// Current number of queued elements.
    package var count: Int { monitor.withLock { $0.count } }

    /// The element that `dequeue()` will return. The element remains in the queue. The value is `nil` if the
    /// queue is empty.
    package var oldest: Element? { monitor.withLock { $0.oldest } }

    /// Adds an element if there is space, without waiting.
    ///
    /// - Returns: Whether the element was added; `false` if the queue is full or finished.
    package func tryEnqueue(_ element: Element) -> Bool {
        monitor.broadcast { state in
            guard !state.isFinished, state.count < capacity else { return false }
            state.elements.append(element)
            return true
        }
    }

    /// Adds an element. The call blocks until there is space. If the queue is finished, the element is
    /// discarded.
    package func enqueue(_ element: Element) {
        monitor.wait { state -> Void? in
            if state.isFinished { return () }
            guard state.count < capacity else { return nil }
            state.elements.append(element)
            return ()
        }
        monitor.broadcast { _ in }
    }

    /// Removes and returns the oldest element. The call blocks until an element is available. Returns `nil`
    /// when the queue is finished and empty.
    package func dequeue() -> Element? {
        let element: Element? = monitor.wait { state -> Element?? in
            if let element = state.popFirst() { return .some(element) }
            return state.isFinished ? .some(nil) : nil
        }
        monitor.broadcast { _ in }
        return element
    }

    /// Finishes the queue. The queue then rejects new elements, blocked writers return, and readers receive
    /// the remaining elements followed by `nil`.
    package func finish() {
        monitor.broadcast { $0.isFinished = true }
    }
}
