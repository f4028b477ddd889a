import Media

/// The format that a camera is to deliver in and, until a frame has come in it, the last format that delivered.
struct FormatOnTrial {
    private(set) var wanted: VideoFormat
    private var proven: VideoFormat

    /// Starts with the format of the opened camera; there is none to go back to.
    ///
    /// - Parameter format: The format in which the camera was opened.
    init(_ format: VideoFormat) {
        wanted = format
        proven = format
    }

    /// Puts another format on trial while the camera runs.
    mutating func ask(for format: VideoFormat) {
        wanted = format
    }

    /// Notes that frames came in a format. Only the wanted format is proven by that, not one that was taken in its
    /// place.
    mutating func delivered(in format: VideoFormat) {
        if format == wanted { proven = format }
    }

    /// Goes back to the last format that delivered.
    ///
    /// - Returns: The format that is given up; `nil` when there is none to go back to.
    mutating func giveUp() -> VideoFormat? {
        guard wanted != proven else { return nil }
        defer { wanted = proven }
        return wanted
    }
}
