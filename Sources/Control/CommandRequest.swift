internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// A command together with the words that say it, which travel over the control socket. Who has one need not parse them again.
public struct CommandRequest: Sendable, Equatable {
    /// What is wanted.
    public let command: ControlCommand
    /// The words as a person said them.
    public let words: [String]
    /// The address of `publish -`, which is no word: words may be shown.
    private var input: String?

    private struct Line: Codable {
        var words: [String]
        var input: String?
    }

    /// Parses a command.
    ///
    /// - Parameter words: A command as listed in `ControlCommand.groups`.
    /// - Throws: `ControlError.usage` with a sentence that names the valid words.
    public init(words: [String]) throws(ControlError) {
        command = try ControlCommand(words: words)
        self.words = words
    }

    /// Parses a line of JSON as the control socket receives it.
    ///
    /// - Parameter line: One line, such as `{"words": ["status"]}`.
    /// - Throws: `ControlError.usage` when the line is no request or its words are no command.
    init(line: Data) throws(ControlError) {
        let content: Line
        do {
            content = try JSONDecoder().decode(Line.self, from: line)
        } catch {
            throw .usage(
                #"the request is not understood: expected a line of JSON such as {"words": ["status"]}."#)
        }
        let request = try Self(words: content.words)
        self = try content.input.map { input throws(ControlError) in try request.taking(input) } ?? request
    }

    /// Completes `publish -` with what was read from standard input.
    ///
    /// - Parameter input: The address, in one line.
    /// - Returns: The complete request; any other request as it is.
    /// - Throws: `ControlError.usage` when it is no address.
    public func taking(_ input: String) throws(ControlError) -> CommandRequest {
        guard words == ["publish", "-"] else { return self }
        let text = input.trimmed
        let address = try ControlCommand.PublishedPlace.address(text)
        var request = CommandRequest(.publish(.address(address)), words)
        request.input = text
        return request
    }

    /// The request as a line of JSON, without its end.
    var line: Data { Data(JSONText.line(Line(words: words, input: input)).utf8) }

    /// The question how a session goes.
    static let status = CommandRequest(.status, ["status"])

    private init(_ command: ControlCommand, _ words: [String]) {
        self.command = command
        self.words = words
    }
}
