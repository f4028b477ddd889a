/// The continuations of all `AsyncStream`s that receive one kind of event. The owner protects this value with a lock.
struct StreamListeners<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var last = 0

    /// Adds a listener.
    ///
    /// - Returns: A number that identifies the listener for removal.
    mutating func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
        last += 1
        continuations[last] = continuation
        return last
    }

    mutating func remove(_ number: Int) {
        continuations[number] = nil
    }

    func notify(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    /// Removes all listeners.
    ///
    /// - Returns: The removed continuations. The caller finishes these continuations without holding its
    ///   lock.
    mutating func removeAll() -> [AsyncStream<Element>.Continuation] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
