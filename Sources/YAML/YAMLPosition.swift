/// Where something stands in a YAML file. Both count from 1; the column counts characters (Unicode scalars), not bytes.
public struct YAMLPosition: Sendable, Hashable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Where a file begins.
    public static let start = Self(line: 1, column: 1)
}

extension YAMLPosition: CustomStringConvertible {
    public var description: String { "\(line):\(column)" }
}
