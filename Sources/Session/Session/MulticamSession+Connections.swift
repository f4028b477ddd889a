internal import Media
public import Plan

extension MulticamSession {
    /// The connections as they are now, with all changes that were committed: what each output gets of which device, and how.
    /// They follow from the running plan. `commit` changes them.
    public nonisolated var connections: [PlannedConnection] { running.withLock { $0.connections } }
}
