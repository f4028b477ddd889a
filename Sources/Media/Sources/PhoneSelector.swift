/// The selector of a phone's camera and microphone, `phone:NAME`: the control room's web process brings them under this name.
public enum PhoneSelector {
    /// The beginning of such a selector.
    public static let scheme = "phone:"
    private static let longestName = 32

    /// Whether a selector names a phone.
    public static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) }

    /// The selector of a phone.
    ///
    /// - Parameter name: The name that its user chose.
    /// - Returns: The selector; `nil` when the name is not 1 to 32 letters, digits, `-` and `_` of ASCII, the first one a letter or digit.
    public static func selector(of name: String) -> String? {
        name.isPlainName(longest: longestName) ? scheme + name : nil
    }
}
