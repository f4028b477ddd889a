internal import Glibc
internal import Media
internal import Studio

/// What the address of a recording's media asks for. Names in it are looked up in the recording's manifest; none becomes a path.
struct RecordingWish: Equatable, Sendable {
    /// What is wanted of the recording.
    enum Content: Equatable, Sendable {
        /// The recording's manifest.
        case manifest
        /// The frame that a track shows at a time in nanoseconds since T0, of at most so many columns.
        case frame(track: String, at: Int64, width: Int)
        /// The peaks of a track's audio in so many stretches.
        case waveform(track: String, count: Int)
        /// The bytes of the program's file; of a recording that was split, of one part, counted from 1.
        case program(part: Int)
        /// The bytes of a file that was made of the recording.
        case edited(String)
        /// The names of the files that were made of the recording.
        case edits
    }

    /// The name of the session folder.
    let folder: String
    let content: Content

    /// The names of the files that `multicam export` makes.
    static let projects: Set = ["session.fcpxml", "session.otio", "session.mlt", "session.edl", "cut.json"]

    private static let widths = 16...3840
    private static let usualWidth = 1280
    private static let counts = 1...4000
    private static let usualCount = 600
    private static let parts = 1...10_000
    /// Times in nanoseconds that a recording can have: about three years.
    private static let times = Int64(0)...100_000_000_000_000_000

    /// Reads a request. Its path is decoded already.
    ///
    /// - Returns: `nil` when the address is none of a recording's.
    /// - Throws: `RecordingRefusal` when the folder's name or a number cannot be one.
    static func read(_ head: RequestHead) throws(RecordingRefusal) -> RecordingWish? {
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
            content = .program(part: try number("part", head, in: Self.parts, else: 1))
        case ("edit", 5): content = .edits
        case ("edit", 6):
            guard isEdited(parts[5]) else { return nil }
            content = .edited(parts[5])
        default: return nil
        }
        guard StudioDesk.isFolder(parts[3]) else { throw .noFolder }
        return RecordingWish(folder: parts[3], content: content)
    }

    /// Whether a name in the folder `edit` is one that multicam gives: those alone are served.
    static func isEdited(_ name: String) -> Bool {
        if projects.contains(name) { return true }
        guard name.hasPrefix("render-"), name.hasSuffix(".mp4") else { return false }
        let digits = name.dropFirst("render-".count).dropLast(".mp4".count).utf8
        return (1...6).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func track(_ head: RequestHead) throws(RecordingRefusal) -> String {
        guard let name = head.query["track"], (1...200).contains(name.utf8.count) else {
            throw RecordingRefusal(
                status: 400, text: "`track` is missing: expected the name of a track, as the manifest has it."
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
                status: 400, text: "`\(name)` is missing: expected a number from \(range.lowerBound).")
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
