import Media

/// What is known of video nodes from the last look, so that each is opened only once.
package struct KnownNodes: Sendable {
    struct Node: Sendable {
        /// By `SysfsTree.instance(of:)`: another device at the same place has another one.
        let instance: UInt64
        let firstSeen: ClockTime
        /// `nil` when it is to be asked again: it was not asked yet, or had a problem, which may be over.
        var outcome: NodeAnswers.Outcome?
    }

    /// By their folders in sysfs.
    var nodes: [String: Node] = [:]

    package init() {}

    /// The node as far as it is known; a new one where another device had its place.
    func node(_ folder: String, instance: UInt64, now: ClockTime) -> Node {
        if let node = nodes[folder], node.instance == instance { return node }
        return Node(instance: instance, firstSeen: now)
    }
}
