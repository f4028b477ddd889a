/// Converts the names of controls.
enum ControlName {
    /// The name as v4l2-ctl prints it: small letters and digits, `_` for whatever is between them.
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
}
