/// Work that waits for devices, done for all of them at once.
public enum Parallel {
    /// Does the same with each item, each on a thread of its own, and waits for all. Not in a Swift task.
    ///
    /// - Parameters:
    ///   - items: One alone needs no thread.
    ///   - name: Of the threads.
    ///   - body: May block.
    /// - Returns: What it returned, in the items' order.
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
