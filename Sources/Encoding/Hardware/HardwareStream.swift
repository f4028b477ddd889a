internal import CMedia
import Media

/// A stream from a hardware encoder: rehearsed first, then checked frame by frame. Used by one thread alone.
///
/// Its packets keep the contract of x264's: times of ticks, decoding in presentation order, separate parameter sets,
/// and the color description in them. A frame that is missing, late by seconds or out of order is an error, and the
/// caller goes on without hardware.
final class HardwareStream: VideoStream {
    let parameters: StreamParameters
    /// Whether the encoder does not write the color description, so that `ColorTagFilter` does.
    let lacksColorTags: Bool
    private let coder: CoderThread
    private var frames: HardwareFrames
    private var stream: CodedStream

    /// Rehearses and opens the encoder.
    ///
    /// - Parameters:
    ///   - name: The encoder, for messages.
    ///   - settings: Settings of the stream; both sides of the size even, with a colour.
    ///   - spare: Parameter sets of the x264 stream that may take over, which the file must know too.
    ///   - patience: Longest time that a frame may take.
    ///   - open: Makes the encoder; called twice.
    /// - Throws: When the hardware refuses, does not answer, or does not encode as it should.
    init(
        _ name: String, _ settings: VideoEncodingSettings, spare: [UInt8] = [],
        patience: Nanoseconds = CoderThread.usualPatience, open: @escaping HardwareOpening
    ) throws(EncodingError) {
        let color = settings.color ?? .bt709Limited
        let rehearsal = try HardwareRehearsal(name, settings, patience: patience, open: open)
        lacksColorTags = rehearsal.filter != nil
        coder = try CoderThread(name, settings, patience: patience, open: open)
        guard let opened = coder.opened else { preconditionFailure("a coder that was made is open") }
        frames = HardwareFrames(name, size: settings.size, layout: opened.layout)
        stream = CodedStream(
            name, rate: settings.rate,
            filter: rehearsal.filter)
        parameters = StreamParameters(
            codec: .h264, timeScale: settings.rate.frames, setup: rehearsal.setup + spare,
            size: settings.size, rate: settings.rate, color: color)
    }

    func encode(
        _ composed: UnsafeMutablePointer<AVFrame>?, tick: Int64, asKey: Bool
    ) throws(EncodingError) -> [EncodedPacket] {
        guard let composed else { return try stream.take(try coder.flush(), isLast: true) }
        let presentation = tick * (parameters.rate?.seconds ?? 1)
        let frame = try frames.copy(composed)
        stream.expect(presentation)
        return try stream.take(try coder.encode(frame, presentation: presentation, asKey: asKey))
    }
}
