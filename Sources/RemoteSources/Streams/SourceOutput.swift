internal import MulticamControl
internal import MulticamMedia
internal import MulticamMediaLink

/// Output of one network camera to the session. Use this type only on the camera's thread.
final class SourceOutput {
    private let request: SourceRequest
    private let address: SourceAddress
    private let socket: String
    private let whenDelivering: (String?) -> Void
    private var camera: RemoteSource?
    private var microphone: RemoteSource?
    /// The announced format of the camera; `nil` before the announcement.
    private(set) var cameraFormat: VideoFormat?
    /// A sentence for the user about the delivery; `nil` if there is nothing to report.
    var remark: String?
    private var sequence: Int64 = 0
    private var rateLimiter = FrameRateLimiter()

    /// Maximum number of samples per message.
    private static let mostSamples = 8000

    /// Creates an output without announced devices.
    ///
    /// - Parameters:
    ///   - request: The requested streams and their name.
    ///   - address: The source's address, used in messages.
    ///   - socket: Path of the media socket.
    ///   - whenDelivering: Called with the current remark when the session has accepted a frame or audio.
    init(
        _ request: SourceRequest, _ address: SourceAddress, socket: String,
        whenDelivering: @escaping (String?) -> Void
    ) {
        (self.request, self.address, self.socket) = (request, address, socket)
        self.whenDelivering = whenDelivering
    }

    /// Whether a camera is currently announced.
    var hasCamera: Bool { camera != nil }
    /// Whether a microphone is currently announced.
    var hasMicrophone: Bool { microphone != nil }

    /// Returns the rate to announce for the camera. A rate announced before is kept, because the tracks
    /// already use it.
    func rate(measured rate: FrameRate) -> FrameRate { cameraFormat?.rate ?? rate }

    /// Announces the camera.
    ///
    /// - Parameters:
    ///   - format: Format of the camera's frames.
    ///   - color: Colors of the camera's frames.
    ///   - delay: Maximum time from exposure to sending.
    ///   - origin: Source of the capture times.
    /// - Throws: `SourceError` if the session rejects the camera.
    func announce(
        _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds, dated origin: TimeOrigin
    ) throws(SourceError) {
        if let known = cameraFormat, known != format {
            throw .changed(
                "\(address) changed its format from \(known) to \(format). Restore the previous format, or start a new recording."
            )
        }
        do throws(ControlError) {
            camera = try RemoteSource(
                cameraNamed: request.name, format, color, delay: min(delay, .seconds(2)), dated: origin,
                path: socket)
        } catch {
            throw .lost("the session rejected \(address): \(error)")
        }
        (cameraFormat, sequence) = (format, 0)
    }

    /// Announces the microphone.
    ///
    /// - Parameters:
    ///   - format: Format of the microphone's audio.
    ///   - delay: Maximum time from capture to sending.
    ///   - origin: Source of the capture times.
    /// - Throws: `SourceError` if the session rejects the microphone.
    func announce(
        audio format: AudioFormat, delay: Nanoseconds, dated origin: TimeOrigin
    ) throws(SourceError) {
        do throws(ControlError) {
            microphone = try RemoteSource(
                microphoneNamed: request.name, format, delay: min(delay, .seconds(2)), dated: origin,
                path: socket)
        } catch {
            throw .lost("the session rejected the audio of \(address): \(error)")
        }
    }

    /// Sends a frame.
    ///
    /// - Parameters:
    ///   - bytes: The frame in the announced format.
    ///   - time: Start of the frame's exposure.
    ///   - error: Maximum error of `time`.
    ///   - missing: Number of frames lost before this frame.
    ///   - isKey: Whether the frame can be decoded without earlier frames.
    /// - Throws: `SourceError` if the session rejects the frame.
    func send(
        _ bytes: SharedBytes, at time: ClockTime, within error: Nanoseconds, missing: Int = 0,
        isKey: Bool = true
    ) throws(SourceError) {
        guard let camera else { return }
        try rateLimiter.count(from: address)
        sequence += Int64(missing) + 1
        let isTaken = camera.send(frame: bytes, at: time, error: error, sequence: sequence, isKey: isKey)
        try check(camera, isTaken)
        whenDelivering(remark)
    }

    /// Sends audio.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples.
    ///   - channels: Number of channels.
    ///   - time: Capture time of the first sample.
    ///   - error: Maximum error of `time`.
    ///   - first: Index of the first sample.
    ///   - rate: Samples per second.
    /// - Throws: `SourceError` if the session rejects the audio.
    func send(
        audio samples: [Float], channels: Int, at time: ClockTime, within error: Nanoseconds, first: Int64,
        rate: Int
    ) throws(SourceError) {
        guard let microphone else { return }
        let step = min(Self.mostSamples, max(rate / 4, 1))
        for begin in stride(from: 0, to: samples.count / channels, by: step) {
            let end = min(begin + step, samples.count / channels)
            let isTaken = microphone.send(
                audio: Array(samples[(begin * channels)..<(end * channels)]),
                at: time + .duration(of: Int64(begin), perSecond: Int64(rate)), error: error,
                firstSample: first + Int64(begin))
            try check(microphone, isTaken)
        }
        whenDelivering(remark)
    }

    private func check(_ source: RemoteSource, _ isTaken: Bool) throws(SourceError) {
        if let problem = source.problem { throw .refused("the session rejected \(address): \(problem)") }
        guard isTaken else { throw .lost("the session closed the connection of \(address).") }
    }

    /// Adds an event to the recording that reports that the camera's wall clock was set during delivery.
    ///
    /// - Parameter change: The change relative to this computer's clock; if `nil`, no event is added.
    func reportClockChange(_ change: Nanoseconds?) {
        guard let change, let camera else { return }
        let seconds = (change.magnitude.inSeconds * 10).rounded() / 10
        // If the connection has ended, sending the next frame fails.
        _ = camera.sendRemark(
            "the camera's clock jumped \(change > .zero ? "forward" : "back") by \(seconds) s relative to this computer's clock, so one of the clocks was adjusted. "
                + "The capture times of the frames are not affected.")
    }

    /// Reports that the camera and its audio are unavailable.
    ///
    /// - Parameter cause: The reason, as written to the recording.
    func disconnect(because cause: String) {
        camera?.disconnect(because: cause)
        microphone?.disconnect(because: cause)
        (camera, microphone) = (nil, nil)
    }
}

/// Detects a sender that sends more frames than any camera would. The frames of each second are counted separately.
struct FrameRateLimiter {
    private var began = ClockTime(nanoseconds: 0)
    private var frames = 0

    /// Maximum number of frames per second, including bursts after a network delay of a few seconds.
    private static let maxRate = 1000

    /// Counts a frame.
    ///
    /// - Throws: `SourceError.refused` if there are too many frames.
    mutating func count(from address: SourceAddress, at now: ClockTime = MonotonicClock().now)
        throws(SourceError)
    {
        if now - began > .seconds(1) { (began, frames) = (now, 0) }
        frames += 1
        guard frames <= Self.maxRate else {
            throw .refused(
                "\(address) sends more than \(Self.maxRate) frames per second, which is not supported.")
        }
    }
}

/// The reason why a network camera doesn't deliver data, as a sentence without secrets.
enum SourceError: Error, Equatable, CustomStringConvertible {
    /// A network problem, or a temporary problem with the camera. The connection is retried soon.
    case lost(String)
    /// A wrong password, path, or format, which requires user action. The connection is retried less
    /// frequently.
    case refused(String)
    /// The camera delivers a different format than announced, until the user changes the format back. The
    /// connection is retried less frequently.
    case changed(String)
    /// The user ended the source, so it isn't retried.
    case over(String)

    var description: String {
        switch self {
        case .lost(let text), .refused(let text), .changed(let text), .over(let text): text
        }
    }

    /// Returns the word that precedes the outage's sentence in the loss ledger: `usual`, the word for the
    /// kind of source, unless the camera's format caused the outage.
    func outageWord(_ usual: String) -> String {
        if case .changed = self { LossCause.reconfigured.rawValue } else { usual }
    }

    /// The same error for a source that can't be retried without another dialog for the user. The source
    /// ends; after a lost connection, the message explains how to start it again.
    var withoutFurtherTries: SourceError {
        guard case .lost(let text) = self else { return .over(description) }
        return .over(
            "\(text.trimmingFullStop). The desktop requires a new permission for each attempt: use `replace-camera` with this screen, or start "
                + "a new recording.")
    }
}
