public import Media

/// A microphone's audio with echo and noise removed by the sound server: webrtc's processing in module-echo-cancel.
///
/// It is a source like `PulseMicrophone`, and records beside one of the same microphone. Its modules are in the server
/// from `init` on and gone after `stop`.
public final class PulseVoice: MicrophoneSource {
    /// Name of the output that programs must play through for echo cancellation; `nil` without echo cancellation.
    public let outputName: String?
    /// The unprocessed microphone at the voice's rate, with all of its channels where some are picked, else as one. It
    /// records the microphone itself, since the server may replace the voice's source when the microphone goes away.
    public let heard: PulseMicrophone
    private let modules: VoiceModules
    private let microphone: PulseMicrophone
    /// Delay of the voice that the server does not report, as far as it is known without measuring.
    private let delay: Nanoseconds

    /// Delay of noise suppression, which the module does not count: webrtc's suppression looks at 16 ms of audio in
    /// steps of 10 (256 and 160 samples at 16 kHz, its `ns_core.h`); measured: 6.0 ms. Echo cancellation alone has no
    /// delay of its own.
    private static let suppression = Nanoseconds.milliseconds(6)
    /// Delay of the buffers of PipeWire's module, which it does not count: with 0.3.65 a voice came 24 to 30 ms late,
    /// with the 6 ms of `suppression`, and after a block that the server lost by a cycle more.
    private static let pipeWire = Nanoseconds.milliseconds(23)

    /// Loads the modules into the server and opens their source. Blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - source: The microphone.
    ///   - role: The role that the microphone plays.
    ///   - voice: Whether echo and noise are removed.
    ///   - pick: The microphone's channels to use, from 0; all when empty. The voice has one channel.
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    /// - Throws: `DeviceError` with `noSoundServer` or `notFound`, or with the reason why the server does not load the
    ///   modules.
    public init(
        of source: PulseSource, role: String, _ voice: VoiceSettings, pick: [Int] = [], server: String? = nil
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server)
        modules = try VoiceModules(of: source, role: role, voice, pick: pick, on: connection)
        delay =
            (voice.noise ? Self.suppression : .zero) + (modules.isPipeWire ? Self.pipeWire : .zero)
        outputName = modules.sink
        let made = try Self.source(modules.source, of: source, on: connection)
        microphone = try PulseMicrophone(source: made, channels: 1, server: server)
        heard = try PulseMicrophone(
            source: source, channels: pick.isEmpty ? 1 : source.format.channels, rate: microphone.format.rate,
            server: server)
    }

    /// Waits for the source that the modules make, since PipeWire's server reports success before the source exists.
    private static func source(
        _ name: String, of master: PulseSource, on connection: PulseConnection
    ) throws(DeviceError) -> PulseSource {
        let deadline = MonotonicClock().now + patience
        let pause = Cancellation()
        while true {
            if let made = try connection.sources().first(where: { $0.name == name }) { return made }
            guard MonotonicClock().now < deadline else {
                throw DeviceError(
                    device: master.selector, operation: "take out echo and noise",
                    reason: .other(
                        "the sound server has loaded its modules for it, but there is no source of them. Look at the audio "
                            + "server's log."))
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(20))
        }
    }

    deinit { stop() }

    private static let patience = Nanoseconds.seconds(3)

    /// The voice's source as a device.
    public var device: CaptureDevice { microphone.device }
    /// Sample rate of the voice in Hz; one channel.
    public var format: AudioFormat { microphone.format }
    /// Delivery delay of a microphone, and 60 ms for the processing.
    public var deliveryDelay: Nanoseconds { microphone.deliveryDelay + Self.processing }
    /// 1.5 s: the time over which stamps share their error, as for any microphone of the sound server.
    public var stampCorrelation: Nanoseconds { microphone.stampCorrelation }

    /// Longest delay of the processing: webrtc works in blocks of 10 ms, and the module in as many as its buffer has.
    private static let processing = Nanoseconds.milliseconds(60)

    /// Starts the voice's record stream. Its samples are dated earlier by the processing's delay that the server does
    /// not report.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the samples are dated by.
    ///   - receive: Called for each event on libpulse's thread, or on a supervising thread while the voice is away.
    /// - Throws: `DeviceError` as `PulseMicrophone.start`.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let delay = delay
        try microphone.start(on: clock) { event in
            guard case .audio(let audio) = event else { return receive(event) }
            receive(
                .audio(
                    CapturedAudio(
                        format: audio.format, capturedAt: audio.capturedAt - delay,
                        firstSample: audio.firstSample, samples: audio.samples)))
        }
    }

    /// Ends both record streams, waits for their ends, and unloads the modules. Must not be called from a thread that
    /// delivers.
    public func stop() {
        heard.stop()
        microphone.stop()
        modules.unload()
    }
}
