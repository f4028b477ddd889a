internal import MulticamMedia

/// Whether a tap was attached to a session. A tap has one queue and one thread, so it can be attached only once.
package final class TapAttachment: Sendable {
    private let wasAttached = ConditionLock(false)

    /// Records that the tap is being attached.
    ///
    /// - Returns: Whether the tap had never been attached before.
    package func begin() -> Bool {
        wasAttached.withLock { wasAttached in
            defer { wasAttached = true }
            return !wasAttached
        }
    }
}
