import MulticamMedia

/// Blocks every write while it is shut.
package final class Gate: Sendable {
    private let state = ConditionLock((isShut: false, hasSomebody: false))

    /// Creates an open gate.
    package init() {}

    /// A `beforeWrite` hook for a disk that blocks while the gate is shut.
    package var wait: @Sendable (String, Int64) -> Int32 {
        { _, _ in
            self.state.broadcast { $0.hasSomebody = $0.isShut }
            self.state.wait { $0.isShut ? nil : () }
            return 0
        }
    }

    package func close() { state.broadcast { $0 = (true, false) } }
    package func open() { state.broadcast { $0.isShut = false } }
    package func waitUntilBlocked() { state.wait { $0.hasSomebody ? () : nil } }
}
