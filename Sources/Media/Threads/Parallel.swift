/// Runs work that waits for devices on all of them at once.
public enum Parallel {
    /// Calls `body` with each item, each on a thread of its own, and waits for all of them. Not in a Swift task.
    ///
    /// - Parameters:
    ///   - items: The items; a single one is handled on the calling thread.
    ///   - name: The name of the threads.
    ///   - body: The work on one item; it may block.
    /// - Returns: The results in the order of `items`.
    public static func map<Item: Sendable, Outcome: Sendable>(
        _ items: [Item], threads name: String, _ body: @escaping @Sendable (Item) -> Outcome
    ) -> [Outcome] {
        guard items.count > 1 else { return items.map(body) }
        let outcomes = ConditionLock<[Int: Outcome]>([:])
        let threads = items.enumerated().map { index, item in
            MediaThread(name: name) {
                let outcome = body(item)
                outcomes.withLock { $0[index] = outcome }
            }
        }
        threads.forEach { $0.join() }
        return outcomes.withLock { outcomes in items.indices.compactMap { outcomes[$0] } }
    }
}
