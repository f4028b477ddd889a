/// A list under a title in a command's help, such as its subcommands or examples.
public struct HelpSection: Sendable {
    public let title: String
    public let entries: [(term: String, help: String)]

    public init(_ title: String, _ entries: [(term: String, help: String)]) {
        self.title = title
        self.entries = entries
    }
}
