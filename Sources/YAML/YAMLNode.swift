/// A value in a YAML file, with its position.
public struct YAMLNode: Sendable, Equatable {
    /// The three kinds of values.
    public enum Content: Sendable, Equatable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// Fields in the order of the file; no name occurs twice.
        case mapping([YAMLField])
    }

    /// Position of the value's first character.
    public let position: YAMLPosition
    /// The value itself.
    public let content: Content

    /// Makes a value.
    public init(position: YAMLPosition, content: Content) {
        self.position = position
        self.content = content
    }

    /// Whether the value is missing: an empty plain scalar, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
    }
}
