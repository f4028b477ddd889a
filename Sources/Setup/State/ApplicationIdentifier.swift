/// The name of an application; each application has its own history of choices.
public struct ApplicationIdentifier: Sendable, Hashable {
    /// 1 to 100 letters, digits, `.`, `-` and `_`.
    public let name: String

    /// The program `multicam`.
    public static let multicam = Self(known: "multicam")

    /// Creates an identifier from a name.
    ///
    /// - Parameter name: 1 to 100 letters, digits, `.`, `-` and `_`, for example `org.example.call`; anything else gives `nil`.
    public init?(_ name: String) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else { return nil }
        self.name = name
    }

    private init(known name: String) {
        self.name = name
    }
}
