internal import CMedia
import Media

/// Encodes a few frames before a stream begins, to find out whether the hardware takes the stream, and the parameter
/// sets that its file needs.
///
/// V4L2's encoders tell their parameter sets with the first frame only, and some devices refuse a size, a rate or one
/// stream too many; all that shows here, while x264 can still take the stream.
struct HardwareRehearsal {
    /// The parameter sets with the color description, Annex B.
    let setup: [UInt8]
    /// The filter for the stream's packets, where the encoder does not write the color description; else `nil`.
    let filter: ColorTagFilter?

    /// Luma codes of the frames, so far apart that no encoder takes one for another.
    private static let levels: [UInt8] = [40, 200, 80, 160, 120]
    /// Largest error of a frame's mean luma, in codes.
    private static let tolerance = 6.0

    /// Rehearses a stream; the encoder is closed again before this returns.
    ///
    /// - Parameters:
    ///   - subject: The encoder, for messages.
    ///   - settings: Settings of the stream, with a colour.
    ///   - patience: Longest time that the encoder may take for a frame.
    ///   - open: Makes the encoder.
    /// - Throws: When the hardware cannot encode this stream, with the reason.
    init(
        _ subject: String, _ settings: VideoEncodingSettings, patience: Nanoseconds,
        open: @escaping HardwareOpening
    ) throws(EncodingError) {
        let color = settings.color ?? .bt709Limited
        let coder = try CoderThread(subject, settings, patience: patience, open: open)
        guard let opened = coder.opened else { preconditionFailure("a coder that was made is open") }
        var stream = CodedStream(subject, rate: settings.rate, filter: nil)
        var packets: [EncodedPacket] = []
        var frames = HardwareFrames(subject, size: settings.size, layout: opened.layout)
        let canvas = SharedBytes(count: FramePlane.packed(.i420, settings.size).byteCount)
        for (index, level) in Self.levels.enumerated() {
            let presentation = Int64(index) * settings.rate.seconds
            Planes(i420: canvas, size: settings.size).fill(YCbCr(y: level, cb: 128, cr: 128))
            let painted = try OwnedFrame(canvas, settings.size, subject)
            let frame = try withExtendedLifetime(canvas) { () throws(EncodingError) in
                try frames.copy(painted.pointer)
            }
            stream.expect(presentation)
            packets += try stream.take(
                try coder.encode(frame, presentation: presentation, asKey: index == 0))
        }
        packets += try stream.take(try coder.flush(), isLast: true)
        try coder.close()

        guard let first = packets.first, first.isKey else {
            throw Self.refusal(subject, "its first frame is none that a file can begin with")
        }
        let own = CodedUnits(first.bytes).parameterSets
        let setup = own.isEmpty ? opened.setup : own
        guard !setup.isEmpty else { throw Self.refusal(subject, "it tells no parameter sets") }
        var isTagged = true
        try Self.check(packets, setup, settings.size, subject) { frame in
            if frame.color != color { isTagged = false }
        }
        filter = isTagged ? nil : try ColorTagFilter(color, setup: setup, subject: subject)
        self.setup = filter?.setup ?? setup
    }

    private static func check(
        _ packets: [EncodedPacket], _ setup: [UInt8], _ size: FrameSize, _ subject: String,
        _ look: (StreamReading.Frame) -> Void
    ) throws(EncodingError) {
        let reading = try StreamReading(setup: setup, subject: subject)
        var found: [(size: FrameSize, luma: Double)] = []
        for packet in packets + [nil] {
            try reading.read(packet) { frame in
                let luma = media_mean_byte(
                    frame.planes.y, frame.planes.yStride, Int32(frame.size.width),
                    Int32(frame.size.height), 8, 8)
                found.append((frame.size, luma))
                look(frame)
            }
        }
        if let other = found.first(where: { $0.size != size }) {
            throw refusal(subject, "its frames are \(other.size) instead of \(size)")
        }
        guard found.count == levels.count,
            zip(found, levels).allSatisfy({ abs($0.luma - Double($1)) < tolerance })
        else {
            throw refusal(subject, "its frames are not those that it was given")
        }
    }

    private static func refusal(_ subject: String, _ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "the rehearsal of a stream", reason: reason)
    }
}
