internal import Control
internal import Media
internal import MediaLink

/// What one network camera sends to the session. Belongs to the camera's thread.
final class SourceOutput {
    private let request: SourceRequest
    private let address: SourceAddress
    private let socket: String
    private let whenDelivering: (String?) -> Void
    private var camera: RemoteSource?
    private var microphone: RemoteSource?
    /// The format in which the camera was announced; `nil` before.
    private(set) var cameraFormat: VideoFormat?
    /// What a person is to know of the way it is delivered, as a sentence; `nil` for nothing.
    var remark: String?
    private var sequence: Int64 = 0
    private var flood = FloodWatch()

    /// Most samples of a message.
    private static let mostSamples = 8000

    /// - Parameters:
    ///   - request: What is wanted, and under which name.
    ///   - address: Where it comes from, for sentences.
    ///   - socket: Path of the media socket.
    ///   - whenDelivering: Called when the session has taken a frame or audio, with the remark on it.
    init(
        _ request: SourceRequest, _ address: SourceAddress, socket: String,
        whenDelivering: @escaping (String?) -> Void
    ) {
        (self.request, self.address, self.socket) = (request, address, socket)
        self.whenDelivering = whenDelivering
    }

    /// Whether a camera is announced now.
    var hasCamera: Bool { camera != nil }
    /// Whether a microphone is announced now.
    var hasMicrophone: Bool { microphone != nil }

    /// The rate at which a camera is announced: the one of before, since the tracks have it already.
    func rate(about rate: FrameRate) -> FrameRate { cameraFormat?.rate ?? rate }

    /// Announces the camera.
    ///
    /// - Parameters:
    ///   - format: The format of its frames.
    ///   - color: Their colours.
    ///   - delay: The longest time from exposure to sending.
    ///   - origin: Who dates.
    /// - Throws: `SourceError` when the session does not take it.
    func announce(
        _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds, dated origin: TimeOrigin
    ) throws(SourceError) {
        if let known = cameraFormat, known != format {
            throw .refused(
                "\(address) delivers \(format) now, and delivered \(known) before: set it back, or begin another recording."
            )
        }
        do throws(ControlError) {
            camera = try RemoteSource(
                cameraNamed: request.name, format, color, delay: min(delay, .seconds(2)), dated: origin,
                path: socket)
        } catch {
            throw .lost("the session does not take \(address): \(error)")
        }
        (cameraFormat, sequence) = (format, 0)
    }

    /// Announces the microphone.
    ///
    /// - Parameters:
    ///   - format: The format of its audio.
    ///   - delay: The longest time from capture to sending.
    ///   - origin: Who dates.
    /// - Throws: `SourceError` when the session does not take it.
    func announce(
        audio format: AudioFormat, delay: Nanoseconds, dated origin: TimeOrigin
    ) throws(SourceError) {
        do throws(ControlError) {
            microphone = try RemoteSource(
                microphoneNamed: request.name, format, delay: min(delay, .seconds(2)), dated: origin,
                path: socket)
        } catch {
            throw .lost("the session does not take the audio of \(address): \(error)")
        }
    }

    /// Sends a frame.
    ///
    /// - Parameters:
    ///   - bytes: The frame in the announced format.
    ///   - time: When its exposure began.
    ///   - error: How far off that may be.
    ///   - missing: Number of frames that were lost before it.
    ///   - isKey: Whether it can be decoded alone.
    /// - Throws: `SourceError` when the session does not take it.
    func send(
        _ bytes: SharedBytes, at time: ClockTime, within error: Nanoseconds, missing: Int = 0,
        isKey: Bool = true
    ) throws(SourceError) {
        guard let camera else { return }
        try flood.count(from: address)
        sequence += Int64(missing) + 1
        let isTaken = camera.send(frame: bytes, at: time, error: error, sequence: sequence, isKey: isKey)
        try check(camera, isTaken)
        whenDelivering(remark)
    }

    /// Sends audio.
    ///
    /// - Parameters:
    ///   - samples: Interleaved.
    ///   - channels: Number of channels.
    ///   - time: When the first one was captured.
    ///   - error: How far off that may be.
    ///   - first: The number of the first one.
    ///   - rate: Samples per second.
    /// - Throws: `SourceError` when the session does not take it.
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
        if let problem = source.problem { throw .refused("the session does not take \(address): \(problem)") }
        guard isTaken else { throw .lost("the session has ended its connection with \(address).") }
    }

    /// Says, as an event of the recording, that the camera's wall clock has been set while it delivers.
    ///
    /// - Parameter change: By how much, against this computer's; `nil` for nothing to say.
    func tell(clockSetBy change: Nanoseconds?) {
        guard let change, let camera else { return }
        let seconds = (change.magnitude.inSeconds * 10).rounded() / 10
        // An ended connection is noticed by the next frame.
        _ = camera.remark(
            "its clock went \(change > .zero ? "forward" : "back") by \(seconds) s at once against this computer's, so one of the two was set. "
                + "Its frames keep their times.")
    }

    /// Says that the camera and its audio are away.
    ///
    /// - Parameter cause: Why, as it stands in the recording.
    func leave(because cause: String) {
        camera?.leave(because: cause)
        microphone?.leave(because: cause)
        (camera, microphone) = (nil, nil)
    }
}
