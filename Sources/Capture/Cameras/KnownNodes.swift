import Media

/// The video nodes known from the last look, so that each is read and opened only once.
package struct KnownNodes: Sendable {
    struct Node: Sendable {
        /// Number from `SysfsTree.instance(of:)`, which differs for another device at the same place.
        let instance: UInt64
        let folder: String
        let camera: SysfsCamera
        let firstSeen: ClockTime
        /// Result of opening the node; `nil` when it must be asked (again), because it was not asked yet or had a
        /// problem, which may be over.
        var outcome: NodeAnswers.Outcome?
        /// Whether its camera was reported; from then on it stays in the list, whatever its problems.
        var isListed = false
    }

    /// The nodes by their names in `class/video4linux`.
    var nodes: [String: Node] = [:]

    /// Makes an empty set of known nodes.
    package init() {}
}
