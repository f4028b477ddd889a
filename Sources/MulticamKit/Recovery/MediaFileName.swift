internal import Media

/// What names of a recording's files tell.
enum MediaFileName {
    static func isMedia(_ name: String) -> Bool {
        [".mp4", ".mov", ".wav"].contains { name.hasSuffix($0) }
    }

    /// Whether a name from a manifest stays within its folder.
    static func isWithin(_ name: String) -> Bool {
        isMedia(name) && name.isPathWithin
    }

    /// `cameras/desk-2.mov`: the part of a file with that number.
    static func part(_ number: Int, of name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return name }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }
}
