internal import Glibc
internal import MulticamMedia
internal import MulticamStudio

/// A request for a recording's media, parsed from its path. Names in the path are looked up in the manifest and never
/// used as paths.
struct RecordingRequest: Equatable, Sendable {
    /// The requested content.
    enum Content: Equatable, Sendable {
        /// The recording's manifest.
        case manifest
        /// The frame of a track at a time in nanoseconds relative to T0, with the given maximum width in
        /// pixels.
        case frame(track: String, at: Int64, width: Int)
        /// The peaks of a track's audio, in `count` segments.
        case waveform(track: String, count: Int)
        /// The program. If the recording was split, one part, counted from 1, or all parts joined in one file.
        case program(part: Int?)
        /// The list of the files in the session folder.
        case files
        /// A file in the session folder, by its path in the list.
        case file(String)
        /// A ZIP archive of the session folder.
        case archive
    }

    /// Name of the session folder.
    let folder: String
    let content: Content

    private static let widths = 16...3840
    private static let usualWidth = 1280
    private static let counts = 1...4000
    private static let usualCount = 600
    private static let parts = 1...10_000
    /// Valid times within a recording, in nanoseconds: up to about three years.
    private static let times = Int64(0)...100_000_000_000_000_000

    /// Parses a request. The path must already be decoded.
    ///
    /// - Returns: The request; `nil` if the path doesn't belong to a recording.
    /// - Throws: `RecordingRefusal` if the folder name or a number is invalid.
    static func read(_ head: RequestHead) throws(RecordingRefusal) -> RecordingRequest? {
        let parts = head.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { String($0) }
        guard parts.count >= 4, Array(parts.prefix(3)) == ["api", "v1", "recordings"] else { return nil }
        let content: Content
        switch (parts.count > 4 ? parts[4] : "", parts.count) {
        case (_, 4): content = .manifest
        case ("frame.jpg", 5):
            content = .frame(
                track: try track(head), at: try number("at_ns", head, in: times, else: nil),
                width: try number("width", head, in: widths, else: usualWidth))
        case ("waveform", 5):
            content = .waveform(
                track: try track(head), count: try number("count", head, in: counts, else: usualCount))
        case ("program.mp4", 5):
            content = .program(
                part: head.query["part"] == nil ? nil : try number("part", head, in: Self.parts, else: nil))
        case ("archive.zip", 5): content = .archive
        case ("files", 5): content = .files
        case ("files", 6...): content = .file(parts[5...].joined(separator: "/"))
        default: return nil
        }
        guard StudioRequestHandler.isFolderName(parts[3]) else { throw .noFolder }
        return RecordingRequest(folder: parts[3], content: content)
    }

    private static func track(_ head: RequestHead) throws(RecordingRefusal) -> String {
        guard let name = head.query["track"], (1...200).contains(name.utf8.count) else {
            throw RecordingRefusal(
                status: 400, text: "`track` is missing: expected the name of a track in the manifest."
            )
        }
        return name
    }

    private static func number<Number: FixedWidthInteger>(
        _ name: String, _ head: RequestHead, in range: ClosedRange<Number>, else usual: Number?
    ) throws(RecordingRefusal) -> Number {
        guard let text = head.query[name] else {
            if let usual { return usual }
            throw RecordingRefusal(
                status: 400, text: "`\(name)` is missing: expected a number of at least \(range.lowerBound).")
        }
        guard let number = Number(text), range.contains(number) else {
            throw RecordingRefusal(
                status: 400,
                text:
                    "`\(name)=\(text.printable(limit: 40))`: expected a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }
}

/// The reason why a request for a recording is refused.
struct RecordingRefusal: Error, Equatable {
    /// HTTP status: 400, 404, 409 or 416.
    let status: Int
    /// Message for the user.
    let text: String
    /// Whether the request fails again as long as the files don't change.
    var isLasting = false

    /// The recording isn't in the output folder.
    static let noFolder = RecordingRefusal(status: 404, text: "Recording not found.")
}
