import Media

/// Holds up every write while it is shut.
final class Gate: Sendable {
    private let state = Monitor((isShut: false, hasSomebody: false))

    var wait: @Sendable (String, Int64) -> Int32 {
        { _, _ in
            self.state.broadcast { $0.hasSomebody = $0.isShut }
            self.state.wait { $0.isShut ? nil : () }
            return 0
        }
    }

    func shut() { state.broadcast { $0 = (true, false) } }
    func open() { state.broadcast { $0.isShut = false } }
    func waitUntilSomebodyWaits() { state.wait { $0.hasSomebody ? () : nil } }
}
