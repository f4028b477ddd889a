internal import Media

/// How much a tap has dropped, for its handler, which must not hold the tap. Safe from any thread.
final class DroppedCount: Sendable {
    /// A function that lay in a generic lock by itself would be wrapped anew at each look, deeper and deeper, until the stack is full.
    private struct Source {
        let count: @Sendable () -> Int
    }

    private let source = ConditionLock<Source?>(nil)

    /// Asks this function from now on.
    func follow(_ count: @escaping @Sendable () -> Int) { source.withLock { $0 = Source(count: count) } }

    /// What the function says; 0 while there is none.
    var value: Int { source.withLock { $0 }?.count() ?? 0 }
}
