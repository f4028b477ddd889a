extension String {
    /// Whether it has nothing but letters and digits of ASCII, `-` and `_`, as names that become parts of selectors, addresses and files.
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

    /// Whether it is plain, has 1 to `longest` characters, and begins with a letter or digit, so that it is no option and no hidden file.
    package func isPlainName(longest: Int) -> Bool {
        (1...longest).contains(utf8.count) && isPlain && !hasPrefix("-") && !hasPrefix("_")
    }
}
