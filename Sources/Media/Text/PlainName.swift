extension String {
    /// Whether the text contains only ASCII letters and digits, `-` and `_`, as required for names that
    /// become part of selectors, addresses, and file names.
    package var isPlain: Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// Whether the text contains only ASCII letters, digits, `-`, and `_`, has 1 to `longest` characters, and
    /// begins with a letter or digit. Such a name can't be mistaken for a command-line option or a hidden
    /// file.
    package func isPlainName(longest: Int) -> Bool {
        (1...longest).contains(utf8.count) && isPlain && !hasPrefix("-") && !hasPrefix("_")
    }
}

extension String {
    /// Whether the text is a relative path that stays within a folder: the path doesn't contain empty
    /// components, `.`, `..`, or zero bytes.
    ///
    /// The check operates on bytes, as the kernel does. In Swift, a `/` with a combining accent is a
    /// different character; for the kernel, the `/` still separates path components.
    package var isSafeRelativePath: Bool {
        let names = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return !utf8.contains(0) && names.allSatisfy { !["", ".", ".."].contains(Substring($0)) }
    }
}

extension String {
    /// The path with percent encoding: bytes that aren't allowed in a URI path are replaced with escapes such
    /// as `%20` (RFC 3986, 2.1 and 3.3).
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || Self.pathSigns.contains(byte)
            {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }

    /// The text with percent encoding such as `%20` decoded; `nil` if a percent sign isn't followed by two
    /// digits or the bytes aren't valid UTF-8.
    package var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit),
                let low = rest.popFirst().flatMap(Self.digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Punctuation characters that are allowed in a URI path without encoding.
    private static let pathSigns = Array("-._~!$&'()*+,=:@/".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
