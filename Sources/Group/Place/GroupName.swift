/// The names of groups and nodes, which become parts of subjects, certificates and folders.
enum GroupName {
    /// What a name may be, for messages.
    static let rule = "a name of 1 to 32 small letters, digits and dashes that begins with a letter"

    /// Whether a text is a name.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...32).contains(bytes.count) && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0])
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// The mail name in a member's certificate, by which the broker knows it.
    static func user(_ member: String, of group: String) -> String { "\(member)@\(group)" }

    /// The DNS name in the certificate of a group's broker, whatever its address is.
    static func broker(of group: String) -> String { "broker.\(group)" }
}
