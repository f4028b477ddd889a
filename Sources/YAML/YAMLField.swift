/// One `name: value` of a mapping.
public struct YAMLField: Sendable, Equatable {
    public let name: String
    /// Where the name stands; the value's place is its own.
    public let position: YAMLPosition
    public let value: YAMLNode

    public init(name: String, position: YAMLPosition, value: YAMLNode) {
        self.name = name
        self.position = position
        self.value = value
    }
}
