internal import Media
internal import YAML

/// A value in a profile's file, with its path and its place for errors.
package struct ProfileValue {
    let file: String
    /// The path to the value: `cameras.desk.rate`; empty for the whole file.
    let field: String
    let node: YAMLNode
    /// The collector of the errors in the value's fields.
    let problems: ProfileProblems

    func error(expected: String) -> ProfileError { error(found: found, expected: expected) }

    func error(found: String, expected: String) -> ProfileError {
        error(at: node.position, found: found, expected: expected)
    }

    func error(at position: YAMLPosition, found: String, expected: String) -> ProfileError {
        ProfileError(
            file: file, line: position.line, column: position.column, field: field, found: found,
            expected: expected)
    }

    /// The fields of a mapping whose names are fixed; none when the value is null.
    func fields(_ names: [String]) throws(ProfileError) -> ProfileFields {
        try ProfileFields(self, names)
    }

    /// The fields of a mapping whose names are the user's; none when the value is null.
    func entries(expected: String) throws(ProfileError) -> [ProfileEntry] {
        if node.isNull { return [] }
        guard case .mapping(let fields) = node.content else { throw error(expected: expected) }
        return fields.map { entry in
            ProfileEntry(
                name: entry.name, position: entry.position,
                value: ProfileValue(
                    file: file, field: field.isEmpty ? entry.name : "\(field).\(entry.name)",
                    node: entry.value, problems: problems))
        }
    }

    /// The items of a list, each with the list's path; with `allowingOne` also a single value.
    func items(allowingOne: Bool = false, expected: String) throws(ProfileError) -> [ProfileValue] {
        switch node.content {
        case .sequence(let items):
            return
                items.map { ProfileValue(file: file, field: field, node: $0, problems: problems) }
        case .scalar where allowingOne && !node.isNull: return [self]
        case .scalar, .mapping: throw error(expected: expected)
        }
    }

    /// A text that is not empty and can be printed.
    func text(limit: Int, expected: String) throws(ProfileError) -> String {
        guard case .scalar(let scalar) = node.content, !node.isNull, !scalar.text.isEmpty,
            scalar.text.printable(limit: limit) == scalar.text
        else { throw error(expected: expected) }
        return scalar.text
    }

    /// One of the words of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type = Choice.self)
        throws(ProfileError) -> Choice where Choice.RawValue == String
    {
        let words = Choice.allCases.map(\.rawValue)
        if let text = plainText, let choice = Choice(rawValue: text) { return choice }
        throw error(expected: Self.list(words, nearestTo: plainText))
    }

    func integer(in range: ClosedRange<Int>, expected: String? = nil) throws(ProfileError) -> Int {
        guard let text = plainText, let number = Int(text), range.contains(number) else {
            throw error(
                expected: expected ?? "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func decimal(
        in range: ClosedRange<Double>, excludingLowest: Bool = false, expected: String
    ) throws(ProfileError) -> Double {
        // Swift's own reader also takes hexadecimal numbers, infinity and NaN.
        guard let text = plainText, text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) }),
            let number = Double(text), range.contains(number), !excludingLowest || number > range.lowerBound
        else { throw error(expected: expected) }
        return number
    }

    func truth() throws(ProfileError) -> Bool {
        guard let truth = truthIfAny else { throw error(expected: "true or false") }
        return truth
    }

    /// A truth value by the words of YAML 1.2; `nil` for other text and for text in quotes.
    var truthIfAny: Bool? {
        guard case .scalar(let scalar) = node.content, !scalar.isQuoted else { return nil }
        return switch scalar.text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    func size() throws(ProfileError) -> FrameSize {
        guard let text = plainText, let size = SizePreset(rawValue: text)?.size ?? FrameSize(text) else {
            let names = Self.list(SizePreset.allCases.map(\.rawValue))
            throw error(
                expected: "a size in pixels such as 1280x720, each side from 1 to 16384, or \(names)")
        }
        return size
    }

    func rate() throws(ProfileError) -> FrameRate {
        guard let text = plainText,
            text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) || $0 == 0x2F }),
            let rate = FrameRate(text), (0.001...1000).contains(rate.perSecond)
        else {
            throw error(
                expected: "a number of frames per second above 0 and at most 1000, for example 30 or 29.97")
        }
        return rate
    }

    func duration(in range: ClosedRange<Nanoseconds>, example: String) throws(ProfileError) -> Nanoseconds {
        guard let text = plainText, let duration = Nanoseconds(text), range.contains(duration) else {
            throw error(
                expected: "a length of time from \(range.lowerBound.text) to \(range.upperBound.text), "
                    + "for example \(example)")
        }
        return duration
    }

    /// Bits per second, written as `160k` or `160000`.
    func bitrate(in range: ClosedRange<Int>) throws(ProfileError) -> Int {
        let text = plainText ?? ""
        let isThousands = text.hasSuffix("k")
        guard let number = Int(isThousands ? String(text.dropLast()) : text),
            (0...range.upperBound).contains(number), range.contains(number * (isThousands ? 1000 : 1))
        else {
            throw error(
                expected: "bits per second from \(range.lowerBound / 1000)k to \(range.upperBound / 1000)k, "
                    + "for example 160k")
        }
        return number * (isThousands ? 1000 : 1)
    }

    /// The value in words, for “found”.
    var found: String {
        switch node.content {
        case .scalar where node.isNull: "nothing"
        case .scalar(let scalar): "“\(scalar.text.printable(limit: 80))”"
        case .sequence: "a list"
        case .mapping: "fields"
        }
    }

    /// The text of a scalar that is not null, with or without quotes, for values whose form says what they are.
    var plainText: String? {
        guard case .scalar(let scalar) = node.content, !node.isNull else { return nil }
        return scalar.text
    }

    private static let decimalCharacters = Set("0123456789.+-eE".utf8)

    /// The words as “a, b or c”, with the one that was probably meant.
    package static func list(_ words: [String], nearestTo word: String? = nil) -> String {
        let all =
            words.count > 1
            ? words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            : words.first ?? "nothing"
        guard words.count > 1, let nearest = word?.nearest(among: words) else { return all }
        return "\(all) (probably \(nearest))"
    }
}
