/// A value in a YAML file, with its position.
package struct YAMLNode: Sendable, Equatable {
    /// The three kinds of values.
    package enum Content: Sendable, Equatable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// Fields in the order in which they appear in the file. Names are unique.
        case mapping([YAMLField])
    }

    /// Position of the value's first character.
    package let position: YAMLPosition
    /// The content of the value.
    package let content: Content

    /// Creates a value at a position.
    package init(position: YAMLPosition, content: Content) {
        self.position = position
        self.content = content
    }

    /// Whether the value is missing, that is, an empty plain scalar, `~`, or `null`.
    package var isNull: Bool {
        guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
    }
}

/// One `name: value` pair of a mapping.
package struct YAMLField: Sendable, Equatable {
    /// The field's name.
    package let name: String
    /// Position of the name. The value has a separate position.
    package let position: YAMLPosition
    /// The field's value.
    package let value: YAMLNode

    /// Creates a field of a mapping.
    package init(name: String, position: YAMLPosition, value: YAMLNode) {
        self.name = name
        self.position = position
        self.value = value
    }
}

/// A single value as text, which the caller interprets.
package struct YAMLScalar: Sendable, Equatable {
    /// The text with escapes resolved. The text may contain any character, including NUL if it was written as `"\0"`.
    package let text: String
    /// Whether the text was in quotes or in a block (`|`, `>`), and therefore is never null, a number, or a Boolean.
    package let isQuoted: Bool

    /// Creates a scalar from its text.
    package init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }
}

/// A position in a YAML file. Line and column start at 1. Columns count characters (Unicode scalars), not bytes.
package struct YAMLPosition: Sendable, Hashable {
    /// Line, starting at 1.
    package let line: Int
    /// Column in characters (Unicode scalars), starting at 1.
    package let column: Int

    /// Creates a position from a line and a column, which both start at 1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of a file's first character.
    package static let start = Self(line: 1, column: 1)
}

extension YAMLPosition: CustomStringConvertible {
    /// The position as `line:column`.
    package var description: String { "\(line):\(column)" }
}
