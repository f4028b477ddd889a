public import Media

/// A microphone's audio with echo and noise taken out by the sound server: webrtc's processing in module-echo-cancel.
///
/// As a source it is like `PulseMicrophone`, and records beside one of the same microphone. What it needs in the server is there
/// from `init` on and gone after `stop`.
public final class PulseVoice: MicrophoneSource {
    /// The output through which a program must play what is to be taken out; `nil` without echo cancellation.
    public let outputName: String?
    /// The microphone once more, at the voice's rate: with all of its channels where some are picked, else as one. It is the
    /// microphone itself: what the voice is made of, the server may exchange for another one when it goes away.
    public let heard: PulseMicrophone
    private let modules: VoiceModules
    private let microphone: PulseMicrophone
    /// By how much later what is left comes than the server says, as far as that can be known without listening.
    private let delay: Nanoseconds

    /// webrtc's suppression looks at 16 ms of audio in steps of 10 (256 and 160 samples at 16 kHz, its `ns_core.h`), which the
    /// module does not count; measured: 6.0 ms. Echo cancellation alone has no delay of its own.
    private static let suppression = Nanoseconds.milliseconds(6)
    /// What PipeWire's module keeps before and behind that, and does not count: with 0.3.65 a voice came 24 to 30 ms late, with the
    /// 6 ms of `suppression`, and after a block that the server lost by a cycle more.
    private static let pipeWire = Nanoseconds.milliseconds(23)

    /// Has the server do it. Blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - source: The microphone.
    ///   - role: Which it plays.
    ///   - voice: What is to be taken out.
    ///   - pick: Which of its channels count, from 0; all when empty. The voice has one channel.
    ///   - server: `nil` for the user's own.
    /// - Throws: `noSoundServer`, `notFound`, or why the server does not do it.
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

    /// Waits for a source that the modules make: PipeWire's server says that it is done before it is.
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

    public var device: CaptureDevice { microphone.device }
    public var format: AudioFormat { microphone.format }
    public var deliveryDelay: Nanoseconds { microphone.deliveryDelay + Self.processing }
    public var stampCorrelation: Nanoseconds { microphone.stampCorrelation }

    /// webrtc works in blocks of 10 ms, and the module in as many as its buffer has.
    private static let processing = Nanoseconds.milliseconds(60)

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

    public func stop() {
        heard.stop()
        microphone.stop()
        modules.unload()
    }
}
