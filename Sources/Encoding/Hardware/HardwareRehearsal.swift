internal import CMedia
import Media

/// A few pictures of a stream before it begins: whether its hardware takes it, and what its file must know of it.
///
/// V4L2's encoders tell their parameter sets with the first picture only, and some devices refuse a size, a rate or one stream
/// more than they can; all that shows here, while x264 can still take the stream.
struct HardwareRehearsal {
    /// Annex B, with the colours.
    let setup: [UInt8]
    /// What the stream's packets must pass through, where the encoder does not say what its colours mean.
    let filter: ColorTagFilter?

    /// Codes of luma, so far apart that no encoder takes one for another.
    private static let levels: [UInt8] = [40, 200, 80, 160, 120]
    /// How far the mean luma may be off, in codes.
    private static let tolerance = 6.0

    /// - Parameters:
    ///   - subject: The encoder, for messages.
    ///   - settings: Of the stream, with a colour.
    ///   - patience: How long the encoder may take for a picture.
    ///   - open: Makes the encoder. It is closed again before this returns.
    /// - Throws: Why the hardware cannot encode this stream.
    init(
        _ subject: String, _ settings: PictureEncodingSettings, patience: Nanoseconds,
        open: @escaping HardwareOpening
    ) throws(EncodingError) {
        let color = settings.color ?? .bt709Limited
        let coder = try CoderThread(subject, settings, patience: patience, open: open)
        guard let opened = coder.opened else { preconditionFailure("a coder that was made is open") }
        var stream = CodedStream(subject, rate: settings.rate, filter: nil)
        var packets: [EncodedPacket] = []
        var pictures = HardwarePictures(subject, size: settings.size, layout: opened.layout)
        let canvas = SharedBytes(count: PicturePlane.packed(.i420, settings.size).byteCount)
        for (index, level) in Self.levels.enumerated() {
            let presentation = Int64(index) * settings.rate.seconds
            Planes(i420: canvas, size: settings.size).fill(YCbCr(y: level, cb: 128, cr: 128))
            let frame = try OwnedFrame(canvas, settings.size, subject)
            let picture = try withExtendedLifetime(canvas) { () throws(EncodingError) in
                try pictures.copy(frame.pointer)
            }
            stream.expect(presentation)
            packets += try stream.take(
                try coder.encode(picture, presentation: presentation, asKey: index == 0))
        }
        packets += try stream.take(try coder.flush(), isLast: true)
        try coder.close()

        guard let first = packets.first, first.isKey else {
            throw Self.refusal(subject, "its first picture is none that a file can begin with")
        }
        let own = CodedUnits(first.bytes).parameterSets
        let setup = own.isEmpty ? opened.setup : own
        guard !setup.isEmpty else { throw Self.refusal(subject, "it tells no parameter sets") }
        var isTagged = true
        try Self.check(packets, setup, settings.size, subject) { picture in
            if picture.color != color { isTagged = false }
        }
        filter = isTagged ? nil : try ColorTagFilter(color, setup: setup, subject: subject)
        self.setup = filter?.setup ?? setup
    }

    private static func check(
        _ packets: [EncodedPacket], _ setup: [UInt8], _ size: PictureSize, _ subject: String,
        _ look: (StreamReading.Picture) -> Void
    ) throws(EncodingError) {
        let reading = try StreamReading(setup: setup, subject: subject)
        var found: [(size: PictureSize, luma: Double)] = []
        for packet in packets + [nil] {
            try reading.read(packet) { picture in
                let luma = media_mean_byte(
                    picture.planes.y, picture.planes.yStride, Int32(picture.size.width),
                    Int32(picture.size.height), 8, 8)
                found.append((picture.size, luma))
                look(picture)
            }
        }
        if let other = found.first(where: { $0.size != size }) {
            throw refusal(subject, "its pictures are \(other.size) instead of \(size)")
        }
        guard found.count == levels.count,
            zip(found, levels).allSatisfy({ abs($0.luma - Double($1)) < tolerance })
        else {
            throw refusal(subject, "its pictures are not those that it was given")
        }
    }

    private static func refusal(_ subject: String, _ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "the rehearsal of a stream", reason: reason)
    }
}
