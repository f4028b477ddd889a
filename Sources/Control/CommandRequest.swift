internal import Foundation
internal import SessionFolder

/// A command together with the words that say it, which travel over the control socket. Who has one need not parse them again.
public struct CommandRequest: Sendable, Equatable {
    /// What is wanted.
    public let command: ControlCommand
    /// The words as a person said them.
    public let words: [String]

    private struct Line: Codable {
        var words: [String]
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
        try self.init(words: content.words)
    }

    /// The request as a line of JSON, without its end.
    var line: Data { Data(JSONText.line(Line(words: words)).utf8) }

    /// The question how a session goes.
    static let status = CommandRequest(.status, ["status"])

    private init(_ command: ControlCommand, _ words: [String]) {
        self.command = command
        self.words = words
    }
}
