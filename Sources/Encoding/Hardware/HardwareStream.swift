internal import CMedia
import Media

/// A stream that a hardware encoder makes: rehearsed first, then checked frame by frame. Used by one thread alone.
///
/// Its packets keep the contract of x264's: times of ticks, each decoded before the next, parameter sets apart, and what the
/// colours mean in them. A frame that is missing, late by seconds or out of order is an error: the caller goes on without.
final class HardwareStream: VideoStream {
    let parameters: StreamParameters
    /// Whether this program writes into the stream what its colours mean.
    let lacksColorTags: Bool
    private let coder: CoderThread
    private var frames: HardwareFrames
    private var stream: CodedStream

    /// - Parameters:
    ///   - name: Of the encoder, for messages.
    ///   - settings: Both sides of the size even, with a colour.
    ///   - spare: Parameter sets of the stream that may take over, which the file shall know too.
    ///   - patience: How long a frame may take.
    ///   - open: Makes the encoder; asked twice.
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
