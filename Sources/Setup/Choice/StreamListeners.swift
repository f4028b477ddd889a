/// The streams of everyone who listens to one kind of news. Its owner guards it with a lock.
struct StreamListeners<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var last = 0

    /// Adds a listener.
    ///
    /// - Returns: The number to remove it by.
    mutating func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
        last += 1
        continuations[last] = continuation
        return last
    }

    mutating func remove(_ number: Int) {
        continuations[number] = nil
    }

    func tell(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    /// Removes all listeners.
    ///
    /// - Returns: The removed continuations, for the caller to finish outside its lock.
    mutating func removeAll() -> [AsyncStream<Element>.Continuation] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
