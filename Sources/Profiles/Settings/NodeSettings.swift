/// A node of a group that a profile names, and what it records.
public struct NodeSettings: Sendable, Equatable {
    /// The node's name in its group.
    public var name: String
    /// The profile, of those on the node; `nil` for the node's own.
    public var profile: String?

    /// Creates the settings of a node.
    public init(name: String, profile: String?) { (self.name, self.profile) = (name, profile) }
}
