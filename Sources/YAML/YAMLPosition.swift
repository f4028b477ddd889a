/// A position in a YAML file. Line and column count from 1; the column counts characters (Unicode scalars), not bytes.
public struct YAMLPosition: Sendable, Hashable {
    /// Line, from 1.
    public let line: Int
    /// Column in characters (Unicode scalars), from 1.
    public let column: Int

    /// Makes a position; both numbers count from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of a file's first character.
    public static let start = Self(line: 1, column: 1)
}

extension YAMLPosition: CustomStringConvertible {
    /// The position as `line:column`.
    public var description: String { "\(line):\(column)" }
}
