internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// A command for a running `multicam record`, as sent over the control socket.
///
/// The recorder parses the words of the command. `SessionCommand` in `MulticamKit` defines the available
/// commands.
package struct CommandRequest: Sendable, Equatable {
    /// The command as the user entered it: the command's name and its arguments.
    package let arguments: [String]
    /// The address for `publish -`. The address is separate from `words`, because the words may be displayed.
    package let input: String?
    /// Whether the command comes from another computer of the group. If `true`, the recorder executes only
    /// commands that other computers of the group are allowed to send.
    package let isFromGroup: Bool

    private struct Line: Codable {
        var words: [String]
        var input: String?
        var group: Bool?
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - arguments: The name of the command and its arguments.
    ///   - input: The address for `publish -`, as a single line.
    ///   - isFromGroup: Whether the command comes from another computer of the group.
    package init(arguments: [String], input: String? = nil, isFromGroup: Bool = false) {
        self.arguments = arguments
        self.input = input
        self.isFromGroup = isFromGroup
    }

    /// Decodes a line of JSON received from the control socket.
    ///
    /// - Parameter line: One line, such as `{"words": ["status"]}`.
    /// - Throws: `ControlError.usage` if the line isn't a valid request.
    init(line: Data) throws(ControlError) {
        do {
            let content = try JSONDecoder().decode(Line.self, from: line)
            self.init(
                arguments: content.words, input: content.input, isFromGroup: content.group ?? false)
        } catch {
            throw .usage(
                #"invalid request: expected a line of JSON such as {"words": ["status"]}."#)
        }
    }

    /// The request as a line of JSON, without the line feed.
    var line: Data {
        Data(
            JSONText.line(Line(words: arguments, input: input, group: isFromGroup ? true : nil)).utf8)
    }

    /// A request for the status of a session.
    static let status = CommandRequest(arguments: ["status"])
}
