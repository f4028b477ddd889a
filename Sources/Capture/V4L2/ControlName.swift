import Media

/// Names of controls, and the order in which they are to be set.
enum ControlName {
    /// As v4l2-ctl prints it: small letters and digits, `_` for whatever is between them.
    ///
    /// "Focus, Automatic Continuous" becomes `focus_automatic_continuous`.
    static func snakeCase(_ driversName: String) -> String {
        var result = ""
        var gap = false
        for byte in driversName.utf8 {
            let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
            if isLetter || (48...57).contains(byte) {
                if gap, !result.isEmpty { result.append("_") }
                gap = false
                result.append(Character(UnicodeScalar((65...90).contains(byte) ? byte + 32 : byte)))
            } else {
                gap = true
            }
        }
        return result
    }

    /// The automatic ones first: a focus is refused, or moved again, as long as the automatic focus is on.
    static func ordered<Value>(_ controls: [(name: String, value: Value)]) -> [(name: String, value: Value)] {
        controls.filter { isAutomatic($0.name) } + controls.filter { !isAutomatic($0.name) }
    }

    private static func isAutomatic(_ name: String) -> Bool {
        name.split(separator: "_").contains { $0 == "auto" || $0 == "automatic" }
    }
}
