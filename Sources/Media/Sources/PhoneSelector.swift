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
        let bytes = Array(name.utf8)
        guard (1...longestName).contains(bytes.count), bytes[0] != UInt8(ascii: "-"),
            bytes[0] != UInt8(ascii: "_")
        else { return nil }
        let isPlain = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? scheme + name : nil
    }
}
