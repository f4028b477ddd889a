internal import Media

/// Tests of the names of a recording's media files.
enum MediaFileName {
    /// Whether the name is that of a media file: it ends in `.mp4`, `.mov` or `.wav`.
    static func isMedia(_ name: String) -> Bool {
        [".mp4", ".mov", ".wav"].contains { name.hasSuffix($0) }
    }

    /// Whether a name from a manifest is that of a media file and stays within the session folder.
    static func isWithin(_ name: String) -> Bool {
        isMedia(name) && name.isPathWithin
    }
}
