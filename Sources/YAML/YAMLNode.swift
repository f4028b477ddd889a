/// A value in a YAML file, with the place where it stands.
public struct YAMLNode: Sendable, Equatable {
    public enum Content: Sendable, Equatable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// In the order of the file; no name twice.
        case mapping([YAMLField])
    }

    public let position: YAMLPosition
    public let content: Content

    public init(position: YAMLPosition, content: Content) {
        self.position = position
        self.content = content
    }

    /// Whether nothing is given: an empty plain scalar, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
    }
}
