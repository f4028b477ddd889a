import Media

/// The format that a camera is to deliver in, and until a frame has come in it the last one that did deliver.
struct FormatOnTrial {
    private(set) var wanted: VideoFormat
    private var proven: VideoFormat

    /// - Parameter format: In which it was opened: there is none to go back to.
    init(_ format: VideoFormat) {
        wanted = format
        proven = format
    }

    /// It is asked for another while it runs.
    mutating func ask(for format: VideoFormat) {
        wanted = format
    }

    /// Frames came. Those of a format that was only taken in the wanted one's place prove nothing.
    mutating func delivered(in format: VideoFormat) {
        if format == wanted { proven = format }
    }

    /// Goes back to what did deliver.
    ///
    /// - Returns: The format that is given up; `nil` when there is none to go back to.
    mutating func giveUp() -> VideoFormat? {
        guard wanted != proven else { return nil }
        defer { wanted = proven }
        return wanted
    }
}
