/// An error in the words of a command line.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as a sentence.
    public let sentence: String
    /// A second sentence with a remedy; may be empty.
    public let hint: String

    /// Creates an error from its sentences.
    public init(_ sentence: String, hint: String = "") {
        self.sentence = sentence
        self.hint = hint
    }

    /// Both sentences, for the user.
    public var description: String { hint.isEmpty ? sentence : "\(sentence) \(hint)" }
}
