/// The bytes of a file, checked to be text before the parser sees them.
///
/// libyaml names no line for such errors, guesses at UTF-16, and allows tabs in some places only: this check gives each
/// error its line and column.
struct YAMLBytes {
    /// UTF-8 text without a byte order mark.
    let bytes: [UInt8]

    /// Checks a file.
    ///
    /// - Throws: `YAMLError` for a file that is too large or not UTF-8, and for tabs and control characters.
    init(checking bytes: [UInt8]) throws(YAMLError) {
        guard bytes.count <= YAMLReader.byteLimit else {
            throw YAMLError(
                position: .start, found: "a file of more than \(YAMLReader.byteLimit) bytes",
                expected: "at most 1 MB")
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        self.bytes = hasMark ? Array(bytes.dropFirst(3)) : bytes
        try Self.check(self.bytes)
    }

    private static func check(_ bytes: [UInt8]) throws(YAMLError) {
        var position = YAMLPosition.start
        var decoder = Unicode.UTF8()
        var iterator = bytes.makeIterator()
        var previous: Unicode.Scalar?
        while true {
            switch decoder.decode(&iterator) {
            case .emptyInput:
                return
            case .error:
                throw YAMLError(
                    position: position, found: "bytes that are not UTF-8", expected: "text in UTF-8")
            case .scalarValue(let scalar):
                if let problem = Self.problem(with: scalar) {
                    throw YAMLError(position: position, found: problem.found, expected: problem.expected)
                }
                position = Self.position(after: scalar, at: position, following: previous)
                previous = scalar
            }
        }
    }

    private static func problem(with scalar: Unicode.Scalar) -> (found: String, expected: String)? {
        switch scalar.value {
        case 0x09: ("a tab", "spaces")
        case 0x0A, 0x0D, 0x85: nil
        case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF:
            ("the control character U+\(Self.hexadecimal(scalar.value))", "text")
        default: nil
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func position(
        after scalar: Unicode.Scalar, at position: YAMLPosition, following previous: Unicode.Scalar?
    ) -> YAMLPosition {
        switch scalar.value {
        case 0x0A where previous?.value == 0x0D: position  // The second half of one line break.
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: YAMLPosition(line: position.line + 1, column: 1)
        default: YAMLPosition(line: position.line, column: position.column + 1)
        }
    }
}
