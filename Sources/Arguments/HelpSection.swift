/// A list under a title in a command's help, such as its subcommands or examples.
public struct HelpSection: Sendable {
    /// The title, without a colon.
    public let title: String
    /// The terms with their descriptions, in order.
    public let entries: [(term: String, help: String)]

    /// Creates a section from its title and entries.
    public init(_ title: String, _ entries: [(term: String, help: String)]) {
        self.title = title
        self.entries = entries
    }
}
