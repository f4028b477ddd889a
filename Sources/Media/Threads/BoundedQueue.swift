/// A first-in, first-out queue of limited length that hands values from one thread to another.
///
/// A writer that must never wait uses `offer`, which refuses when the queue is full. One that must not lose uses `put`,
/// which waits for room: only where a bounded wait is right, as before a file or in simulated time.
public final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element?] = []
        var head = 0
        var isFinished = false

        var count: Int { elements.count - head }

        var oldest: Element? { head < elements.count ? elements[head] : nil }

        mutating func takeFirst() -> Element? {
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
    /// The number of elements that may wait, at least 1.
    public let capacity: Int

    /// Makes an empty queue.
    ///
    /// - Parameter capacity: The number of elements that may wait, at least 1.
    public init(capacity: Int) {
        precondition(capacity > 0, "a queue needs room for one element")
        self.capacity = capacity
    }

    /// The number of elements that wait now.
    public var count: Int { monitor.withLock { $0.count } }

    /// The element that `next()` returns next; it stays in the queue. `nil` when the queue is empty.
    public var oldest: Element? { monitor.withLock { $0.oldest } }

    /// Adds an element if there is room, without waiting.
    ///
    /// - Returns: Whether it was taken; `false` when the queue is full or finished.
    public func offer(_ element: Element) -> Bool {
        monitor.broadcast { state in
            guard !state.isFinished, state.count < capacity else { return false }
            state.elements.append(element)
            return true
        }
    }

    /// Adds an element, and sleeps until there is room. Once the queue is finished, the element is discarded.
    public func put(_ element: Element) {
        monitor.wait { state -> Void? in
            if state.isFinished { return () }
            guard state.count < capacity else { return nil }
            state.elements.append(element)
            return ()
        }
        monitor.broadcast { _ in }
    }

    /// Takes the oldest element, and sleeps until there is one. Returns `nil` once the queue is finished and empty.
    public func next() -> Element? {
        let element: Element? = monitor.wait { state -> Element?? in
            if let element = state.takeFirst() { return .some(element) }
            return state.isFinished ? .some(nil) : nil
        }
        monitor.broadcast { _ in }
        return element
    }

    /// Ends the queue: it takes no more elements, waiting writers return, and readers get what is left, then `nil`.
    public func finish() {
        monitor.broadcast { $0.isFinished = true }
    }
}
