package import MulticamMedia

/// The parts of a `virtual:PATTERN?key=value&…` selector, with parsers for its values.
///
/// The keys begin after the last `?`. The path of a still image can therefore contain a `?` only if another
/// `?` follows the path.
struct VirtualSelector {
    let text: String
    let pattern: String
    private let values: [String: String]

    static let prefix = "virtual:"

    /// Splits a selector into its pattern and its key-value pairs.
    ///
    /// - Parameters:
    ///   - text: The selector as the user wrote it.
    ///   - keys: All keys that this kind of device supports, in the order of the documentation.
    ///   - kind: `camera` or `microphone`, for messages.
    /// - Throws: `.usage` if the text doesn't begin with `virtual:`, or if a key is unknown, repeated, or has no value.
    init(_ text: String, keys: [String], kind: String) throws(VirtualDeviceError) {
        self.text = text
        guard text.hasPrefix(Self.prefix) else {
            throw .usage(
                selector: text,
                explanation: "expected a virtual \(kind) in the form `virtual:PATTERN?key=value&…`.")
        }
        let rest = text.dropFirst(Self.prefix.count)
        let mark = rest.lastIndex(of: "?")
        pattern = String(rest[..<(mark ?? rest.endIndex)])
        var values: [String: String] = [:]
        let query = mark.map { rest[rest.index(after: $0)...] } ?? ""
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0])
            guard keys.contains(key) else {
                throw .usage(
                    selector: text,
                    explanation: "unknown key `\(key.printable())` of a virtual \(kind). Available: "
                        + keys.joined(separator: ", ") + ".")
            }
            guard parts.count == 2, !parts[1].isEmpty else {
                throw .usage(
                    selector: text, explanation: "the value of `\(key)` is missing. Specify `\(key)=…`.")
            }
            guard values.updateValue(String(parts[1]), forKey: key) == nil else {
                throw .usage(
                    selector: text,
                    explanation: "`\(key)` was specified more than once. Separate several values with commas."
                )
            }
        }
        self.values = values
    }

    /// Parses a value with `parse`.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - expected: Description of the allowed values, which completes a sentence in a message.
    ///   - parse: Returns `nil` if the text isn't allowed.
    /// - Returns: The parsed value; `nil` if the key is absent.
    /// - Throws: `.usage` if `parse` returns `nil`.
    func value<Value>(
        _ key: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(VirtualDeviceError) -> Value? {
        guard let written = values[key] else { return nil }
        guard let value = parse(written) else {
            throw .usage(
                selector: text,
                explanation: "`\(key)=\(written.printable())` is not valid: expected \(expected).")
        }
        return value
    }

    /// Parses a decimal number within bounds. The bounds and the result are in units of 10⁻ᵈ, where d is `digits`.
    /// Returns `nil` if the key is absent.
    func number(
        _ key: String, _ expected: String, digits: Int, in bounds: ClosedRange<Int64>
    ) throws(VirtualDeviceError) -> Int64? {
        try value(key, expected) { text in
            FixedPoint.read(text, digits: digits).flatMap { bounds.contains($0) ? $0 : nil }
        }
    }

    /// Parses a fraction from 0 to 1. Returns 0 if the key is absent.
    func share(_ key: String) throws(VirtualDeviceError) -> Double {
        let billionths = try number(key, "a fraction from 0 to 1", digits: 9, in: 0...1_000_000_000)
        return Double(billionths ?? 0) / 1e9
    }

    /// Parses the numbers of the person and of the speakers of the pattern `people`.
    func conversation() throws(VirtualDeviceError) -> (person: Int?, speakers: Int) {
        let people = 1...Int64(Conversation.maxPeople)
        let expected = "a number from 1 to \(Conversation.maxPeople)"
        let person = try number("person", expected, digits: 0, in: people).map(Int.init)
        return (person, Int(try number("speakers", expected, digits: 0, in: people) ?? 2))
    }

    /// Parses a duration in milliseconds within bounds. Returns `nil` if the key is absent.
    func milliseconds(
        _ key: String, _ bounds: ClosedRange<Int64>
    ) throws(VirtualDeviceError) -> Nanoseconds? {
        let expected = "milliseconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        let limits = bounds.lowerBound * 1_000_000...bounds.upperBound * 1_000_000
        return try number(key, expected, digits: 6, in: limits).map { Nanoseconds($0) }
    }

    /// Parses a list of ascending times in seconds after T0. Returns an empty list if the key is absent.
    func instants(_ key: String) throws(VirtualDeviceError) -> [Nanoseconds] {
        let expected = "times in seconds after the start, in ascending order, for example `\(key)=5,20`"
        return try value(key, expected) { text in
            var instants: [Nanoseconds] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let instant = Self.seconds(part), instants.last.map({ $0 < instant }) ?? true else {
                    return nil
                }
                instants.append(instant)
            }
            return instants
        } ?? []
    }

    /// Parses a number of seconds from 0 to 10⁸, about three years. Returns `nil` for any other text.
    static func seconds(_ text: some StringProtocol) -> Nanoseconds? {
        guard let count = FixedPoint.read(text, digits: 9), (0...100_000_000_000_000_000).contains(count)
        else {
            return nil
        }
        return Nanoseconds(count)
    }
}

/// Parses decimal numbers exactly into integer units.
enum FixedPoint {
    /// Parses a number such as `12`, `-3.5`, or `.25`. The result is in units of 10⁻ᵈ, where d is `digits`.
    ///
    /// - Returns: The number, or `nil` if the text isn't a plain decimal number with at most `digits` digits
    ///   after the point, or if the result doesn't fit in 64 bits.
    static func read(_ text: some StringProtocol, digits: Int) -> Int64? {
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        let isNumber = (whole + fraction).utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard isNumber, !whole.isEmpty || !fraction.isEmpty, fraction.count <= digits else { return nil }
        let padded = whole + fraction + String(repeating: "0", count: digits - fraction.count)
        return Int64(padded).map { isNegative ? -$0 : $0 }
    }
}

/// The reason why a `virtual:` or `file:` selector can't be opened.
package enum VirtualDeviceError: Error, Sendable, Equatable {
    /// The selector is invalid, which is a usage error. The explanation describes the error and the allowed values.
    case usage(selector: String, explanation: String)
    /// The selector's file is missing or unusable.
    case device(DeviceError)
}

extension VirtualDeviceError: CustomStringConvertible {
    /// The error message for the user, as a sentence.
    package var description: String {
        switch self {
        case .usage(let selector, let explanation): "`\(selector.printable())`: \(explanation)"
        case .device(let error): error.description
        }
    }
}
