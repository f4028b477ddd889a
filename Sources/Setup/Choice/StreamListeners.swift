/// Those who listen to one thing: each has a stream of its own. Guarded by whoever holds it.
struct StreamListeners<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var last = 0

    /// - Returns: The number by which it is removed.
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

    /// Forgets all of them.
    ///
    /// - Returns: They, to be finished where no lock is held.
    mutating func removeAll() -> [AsyncStream<Element>.Continuation] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
