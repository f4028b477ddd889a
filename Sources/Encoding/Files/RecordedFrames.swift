internal import CMedia
public import Media

/// Finds single frames of a recorded file by their times, in any order, to be looked at. Used by one thread alone.
///
/// Times are the file's own: 0 is where a player begins. A JPEG comes as it lies in the file, anything else decoded.
public final class RecordedFrames {
    private let stream: DemuxedStream
    private let packet: OwnedPacket
    private let frames: FileFrames
    private let size: FrameSize
    private let isJPEG: Bool
    private var decoder: FileDecoder?
    /// The frame found last, and the one after it: who goes on frame by frame seeks nothing.
    private var current: CapturedFrame?
    private var next: CapturedFrame?
    private var hasEnded = false

    /// A frame that lies so far ahead is reached by decoding what lies between.
    private static let near = Nanoseconds.seconds(2)
    /// So far back the search begins anew when a seek came too late; it doubles.
    private static let firstStep = Nanoseconds.milliseconds(500)
    private static let mostSteps = 8

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - number: Index of the stream in the file.
    /// - Throws: When the file cannot be read, or has no video there.
    public init(path: String, stream number: Int) throws(EncodingError) {
        stream = try DemuxedStream(path: path, type: AVMEDIA_TYPE_VIDEO, number: number)
        packet = try OwnedPacket(path)
        frames = FileFrames(path)
        let facts = stream.parameters.pointee
        isJPEG = facts.codec_id == AV_CODEC_ID_MJPEG
        size = FrameSize(width: Int(facts.width), height: Int(facts.height))
        guard (1...16384).contains(size.width), (1...16384).contains(size.height) else {
            throw EncodingError(
                subject: path, operation: "reading", reason: "the file does not say its frame size")
        }
    }

    /// Finds the frame that is shown at a time: the last one that begins then or earlier, else the first of all.
    ///
    /// - Parameter time: The file's time.
    /// - Returns: The frame, whose `capturedAt` is its own time in the file; `nil` where the file has none.
    /// - Throws: When reading fails.
    public func frame(at time: MediaTime) throws(EncodingError) -> CapturedFrame? {
        let wanted = ClockTime(nanoseconds: max(time.nanoseconds, 0))
        if !isReachable(wanted) {
            var start = Nanoseconds(wanted.nanoseconds)
            var step = Self.firstStep
            for _ in 0..<Self.mostSteps {
                try seek(to: start)
                // Of frames that are reordered the one that is sought may be shown later than it lies.
                guard let first = next, first.capturedAt > wanted, start > .zero else { break }
                start = max(start - step, .zero)
                step = step + step
            }
        }
        while let following = next, following.capturedAt <= wanted {
            current = following
            try advance()
        }
        return current ?? next
    }

    /// Whether the frame is the current one, or comes soon.
    private func isReachable(_ time: ClockTime) -> Bool {
        guard let current, current.capturedAt <= time else { return false }
        guard let next else { return hasEnded }
        return time - next.capturedAt <= Self.near
    }

    private func seek(to time: Nanoseconds) throws(EncodingError) {
        (current, next, hasEnded) = (nil, nil, false)
        try stream.seek(to: time)
        decoder = isJPEG ? nil : try FileDecoder(stream)
        try advance()
    }

    private func advance() throws(EncodingError) {
        next = try isJPEG ? nextJPEG() : nextDecoded()
        hasEnded = next == nil
    }

    private func nextJPEG() throws(EncodingError) -> CapturedFrame? {
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            return CapturedFrame(
                pixel: .mjpeg, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: time.count),
                sequence: 0, memory: try packet.takeBytes(stream.path), isOwned: true)
        }
        return nil
    }

    private func nextDecoded() throws(EncodingError) -> CapturedFrame? {
        while let frame = try decoder?.next() {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            return try frames.frame(
                of: frame, capturedAt: ClockTime(nanoseconds: time.count), sequence: 0)
        }
        return nil
    }
}
