/// One `name: value` of a mapping.
public struct YAMLField: Sendable, Equatable {
    /// The field's name.
    public let name: String
    /// Position of the name; the value has its own.
    public let position: YAMLPosition
    /// The field's value.
    public let value: YAMLNode

    /// Makes a field.
    public init(name: String, position: YAMLPosition, value: YAMLNode) {
        self.name = name
        self.position = position
        self.value = value
    }
}
