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
}
