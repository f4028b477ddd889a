/// Words on the command line that cannot be understood.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    public let sentence: String
    public let hint: String

    public init(_ sentence: String, hint: String = "") {
        self.sentence = sentence
        self.hint = hint
    }

    public var description: String { hint.isEmpty ? sentence : "\(sentence) \(hint)" }
}
