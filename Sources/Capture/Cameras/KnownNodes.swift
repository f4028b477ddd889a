import Media

/// What is known of video nodes from the last look, so that each is read about and opened only once.
package struct KnownNodes: Sendable {
    struct Node: Sendable {
        /// By `SysfsTree.instance(of:)`: another device at the same place has another one.
        let instance: UInt64
        let folder: String
        let camera: SysfsCamera
        let firstSeen: ClockTime
        /// `nil` when it is to be asked again: it was not asked yet, or had a problem, which may be over.
        var outcome: NodeAnswers.Outcome?
        /// Whether its camera was told of; from then on it stays in the list, whatever becomes of it.
        var isListed = false
    }

    /// By their names in `class/video4linux`.
    var nodes: [String: Node] = [:]

    package init() {}
}
