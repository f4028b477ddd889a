/// The continuations of all `AsyncStream`s that receive one kind of event. The owner protects this value with a lock.
package struct StreamListeners<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var last = 0

    /// Creates a value without listeners.
    package init() {}

    /// Adds a listener.
    ///
    /// - Returns: A number that identifies the listener for removal.
    package mutating func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
        last += 1
        continuations[last] = continuation
        return last
    }

    /// Removes the listener with this number.
    package mutating func remove(_ number: Int) {
        continuations[number] = nil
    }

    /// Sends an element to all listeners.
    package func notify(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    /// Removes all listeners.
    ///
    /// - Returns: The removed continuations. The caller finishes these continuations without holding its
    ///   lock.
    package mutating func removeAll() -> [AsyncStream<Element>.Continuation] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
