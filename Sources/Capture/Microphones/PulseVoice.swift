internal import CMulticamLinux
internal import Glibc
package import MulticamMedia

/// A microphone with echo cancellation and noise suppression performed by the sound server: WebRTC processing
/// in module-echo-cancel.
///
/// Works like a `PulseMicrophone`. Both can record the same microphone at the same time. `init` loads the
/// modules of the voice into the server; `stop` unloads them.
package final class PulseVoice: DetailedMicrophoneSource {
    /// Name of the audio output that programs must play to, so that the echo of their audio is canceled;
    /// `nil` without echo cancellation.
    package let outputName: String?
    /// The unprocessed microphone at the voice's sample rate. The recording contains all channels if channels
    /// were selected, otherwise one channel. The microphone is recorded directly, because the server may
    /// replace the source of the processed voice when the microphone is disconnected.
    package let unprocessedMicrophone: PulseMicrophone
    private let modules: VoiceModules
    private let microphone: PulseMicrophone
    /// Known part of the processing delay that the server doesn't report.
    private let delay: Nanoseconds

    /// Delay of noise suppression, which the module doesn't report. WebRTC's noise suppression processes
    /// windows of 16 ms in steps of 10 ms (256 and 160 samples at 16 kHz, `ns_core.h`). The measured delay is
    /// 6.0 ms. Echo cancellation adds no delay.
    private static let suppression = Nanoseconds.milliseconds(6)
    /// Delay of the buffers in PipeWire's module, which the module doesn't report. With PipeWire 0.3.65, a
    /// voice was 24 to 30 ms late, including the 6 ms of `suppression`. After the server had lost a block,
    /// the voice was delayed by one more cycle.
    private static let pipeWire = Nanoseconds.milliseconds(23)

    /// Loads the modules into the server and opens their source. Blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - source: The microphone.
    ///   - role: The microphone's role.
    ///   - processing: Whether to remove echo and noise.
    ///   - sourceChannels: Indices of the microphone channels to use; all if empty. The voice always has one channel.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    /// - Throws: `DeviceError` with `noSoundServer` or `notFound`, or with the reason why the server can't
    ///   load the modules.
    package init(
        of source: PulseSource, role: String, _ processing: VoiceProcessing, sourceChannels: [Int] = [],
        server: String? = nil
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server)
        modules = try VoiceModules(
            of: source, role: role, processing, sourceChannels: sourceChannels, on: connection)
        delay =
            (processing.noiseSuppression ? Self.suppression : .zero)
            + (modules.isPipeWire ? Self.pipeWire : .zero)
        outputName = modules.sink
        let made = try Self.source(modules.source, of: source, on: connection)
        microphone = try PulseMicrophone(source: made, channels: 1, server: server)
        unprocessedMicrophone = try PulseMicrophone(
            source: source, channels: sourceChannels.isEmpty ? 1 : source.format.channels,
            rate: microphone.format.rate,
            server: server)
    }

    /// Waits for the source that the modules create, because PipeWire's server reports success before the source
    /// exists.
    private static func source(
        _ name: String, of master: PulseSource, on connection: PulseConnection
    ) throws(DeviceError) -> PulseSource {
        let deadline = MonotonicClock().now + sourceTimeout
        let pause = Cancellation()
        while true {
            if let made = try connection.sources().first(where: { $0.name == name }) { return made }
            guard MonotonicClock().now < deadline else {
                throw DeviceError(
                    device: master.selector, operation: "removing echo and noise",
                    reason: .other(
                        "the sound server loaded the required modules, but they did not create a source. Check the sound server's log."
                    ))
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(20))
        }
    }

    deinit { stop() }

    private static let sourceTimeout = Nanoseconds.seconds(3)

    /// Device of the processed source.
    package var device: CaptureDevice { microphone.device }
    /// Format of the voice: its sample rate in Hz, and one channel.
    package var format: AudioFormat { microphone.format }
    /// Delivery delay of a microphone, plus 60 ms for the processing.
    package var deliveryDelay: Nanoseconds { microphone.deliveryDelay + Self.processing }
    /// 1.5 s: the time span over which timestamp errors are correlated, as for every microphone of the sound
    /// server.
    package var stampCorrelation: Nanoseconds { microphone.stampCorrelation }

    /// Maximum processing delay. WebRTC processes blocks of 10 ms; the module processes as many blocks as fit
    /// into its buffer.
    private static let processing = Nanoseconds.milliseconds(60)

    /// Starts the record stream of the voice. Subtracts the unreported part of the processing delay from the capture
    /// times.
    ///
    /// - Parameters:
    ///   - clock: The session clock for the capture times of the samples.
    ///   - receive: Called for each event on libpulse's thread, or on a supervising thread while the voice is
    ///     unavailable.
    /// - Throws: `DeviceError`, like `PulseMicrophone.start`.
    package func start(
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

    /// Stops both record streams, waits until they are closed, and unloads the modules. Must not be called from a
    /// delivering thread.
    package func stop() {
        unprocessedMicrophone.stop()
        microphone.stop()
        modules.unload()
    }
}

/// Sound server modules that remove echo and noise from one microphone. `init` loads the modules; `unload`, or the
/// release of the last reference, unloads them. The next process finds modules of a crashed process by their names and
/// removes them.
final class VoiceModules: Sendable {
    /// Name prefix of all created sources and sinks; the process ID follows.
    static let prefix = "multicam_voice_"

    /// Name of the source that delivers the processed audio.
    let source: String
    /// Name of the output for echo cancellation: its audio is removed from the voice. `nil` without echo cancellation.
    let sink: String?
    /// Whether the server is PipeWire, whose module reports delays differently.
    let isPipeWire: Bool
    private let connection: PulseConnection
    /// Indices of the loaded modules, in load order.
    private let loaded: ConditionLock<[UInt32]>

    /// Loads the modules.
    ///
    /// - Parameters:
    ///   - master: The microphone's source.
    ///   - role: The microphone's role, which becomes part of the names of the created sources and sinks.
    ///   - processing: Whether to remove echo and noise.
    ///   - sourceChannels: Indices of the microphone channels to use; all if empty.
    ///   - connection: A connection to the microphone's server.
    /// - Throws: `DeviceError` if the server doesn't have the module, can't load it, or disappears.
    init(
        of master: PulseSource, role: String, _ processing: VoiceProcessing, sourceChannels: [Int],
        on connection: PulseConnection
    ) throws(DeviceError) {
        self.connection = connection
        try Self.removeStale(on: connection)
        let name = "\(Self.prefix)\(getpid())_\(role)"
        source = name
        let (server, _) = try connection.serverInfo()
        isPipeWire = server.contains("PipeWire")
        var loaded: [UInt32] = []
        do throws(DeviceError) {
            var output: String?
            if processing.echoCancellation {
                sink = "\(name)_out"
                output = try Self.output(on: connection, for: master)
            } else {
                sink = nil
                // The module needs a reference sink even without echo cancellation, so a silent null sink is
                // loaded. With rewinds, PulseAudio's null sink would play 2 s ahead, and the module would
                // react by shifting the voice by 14 ms.
                let soon = isPipeWire ? "" : "norewinds=1 "
                output = "\(name)_rest"
                loaded.append(
                    try Self.load(
                        "module-null-sink",
                        "sink_name=\(name)_rest rate=\(master.format.rate) channels=1 \(soon)"
                            + "sink_properties=device.description=Multicam-rest-\(role)", master, connection))
            }
            var (heard, channels) = (master.name, master.format.channels)
            let positions = sourceChannels.filter { $0 < master.channelPositions.count }.compactMap {
                pa_channel_position_to_string(pa_channel_position_t(master.channelPositions[$0]))
            }.map { String(cString: $0) }
            if !positions.isEmpty, positions.count < master.channelPositions.count {
                (heard, channels) = ("\(name)_channels", positions.count)
                let own = positions.count == 1 ? ["mono"] : ["front-left", "front-right"]
                loaded.append(
                    try Self.load(
                        "module-remap-source",
                        "source_name=\(heard) master=\(master.name) channels=\(positions.count) remix=no "
                            + "master_channel_map=\(positions.joined(separator: ",")) "
                            + "channel_map=\(own.joined(separator: ","))", master, connection))
            }
            // PipeWire's module would mix two equal channels to one channel that is 3 dB louder. Therefore,
            // both channels are kept, and they are averaged when the source is recorded.
            let width = isPipeWire && channels == 2 ? 2 : 1
            let method = Self.arguments(processing, server: server)
            loaded.append(
                try Self.load(
                    "module-echo-cancel",
                    "source_master=\(heard) sink_master=\(output ?? "") source_name=\(name) sink_name=\(name)_out "
                        + "source_properties=device.description=Multicam-voice-\(role) "
                        + "sink_properties=device.description=Multicam-voice-\(role) "
                        + "rate=\(Self.rate) channels=\(width) aec_method=webrtc \(method)", master,
                    connection))
        } catch {
            Self.unload(loaded, on: connection)
            throw error
        }
        self.loaded = ConditionLock(loaded)
    }

    deinit { unload() }

    /// Unloads the modules. A module that the server fails to unload disappears with the server or is removed
    /// by the next recording.
    func unload() {
        let modules = loaded.withLock { modules in
            defer { modules = [] }
            return modules
        }
        Self.unload(modules, on: connection)
    }

    /// Samples per second of the processed audio: the highest rate that WebRTC's noise suppression supports.
    static let rate = 48_000

    private static func unload(_ modules: [UInt32], on connection: PulseConnection) {
        for module in modules.reversed() {
            do throws(DeviceError) {
                _ = try connection.unload(module: module)
            } catch {
                // The server and its modules are gone.
                return
            }
        }
    }

    private static func load(
        _ module: String, _ argument: String, _ master: PulseSource, _ connection: PulseConnection
    ) throws(DeviceError) -> UInt32 {
        let (index, refusal) = try connection.load(module, argument)
        guard let index else {
            throw DeviceError(
                device: master.selector, operation: "removing echo and noise",
                reason: .other(
                    "the sound server could not load \(module) (\(refusal.printable())). Install the package pulseaudio or, with "
                        + "PipeWire, the package libspa-0.2-modules, or set `echo_cancellation` and "
                        + "`noise_suppression` to false in the profile."))
        }
        return index
    }

    /// Returns the name of the computer's default output.
    private static func output(
        on connection: PulseConnection, for master: PulseSource
    ) throws(DeviceError) -> String {
        if let name = try connection.defaultSinkName(), !name.isEmpty, !name.hasPrefix("@"),
            !name.hasPrefix(prefix)
        {
            return name
        }
        throw DeviceError(
            device: master.selector, operation: "removing echo",
            reason: .other(
                "the sound server has no output device for echo cancellation. Choose one with `pactl set-default-sink`, or "
                    + "set `echo_cancellation` to false in the profile."))
    }

    /// Returns the arguments of the module for WebRTC processing. Gain control is off: users set the input
    /// level, and the mix has its own gain. Without the extended filter, echoes with delays above a few tens
    /// of milliseconds remain (tools/suppression).
    ///
    /// PulseAudio's module synchronizes recorded and played audio: if the two differ by 5 ms, the module
    /// drops audio, including microphone audio. These arguments disable the synchronization if nothing is
    /// played, and otherwise raise the limit to 40 ms, which the extended filter can handle.
    ///
    /// In PulseAudio 17 and later, the extended filter is always on. The option for the filter no longer
    /// exists, and the server doesn't load a module with an unknown option.
    ///
    /// - Parameters:
    ///   - processing: Whether to remove echo and noise.
    ///   - server: The server's name and version, such as `pulseaudio 16.1`.
    /// - Returns: Arguments for `module-echo-cancel`.
    static func arguments(_ processing: VoiceProcessing, server: String) -> String {
        let noise = processing.noiseSuppression
        guard !server.contains("PipeWire") else {
            return
                "aec_args=\"webrtc.noise_suppression=\(noise) webrtc.gain_control=false webrtc.voice_detection=false "
                + "webrtc.extended_filter=true webrtc.high_pass_filter=\(noise)\""
        }
        let adjustment = processing.echoCancellation ? "adjust_threshold=40" : "adjust_time=0"
        let switches =
            "noise_suppression=\(noise ? 1 : 0) analog_gain_control=0 digital_gain_control=0 voice_detection=0 "
            + "\(hasExtendedFilterSwitch(server) ? "extended_filter=1 " : "")high_pass_filter=\(noise ? 1 : 0)"
        return "\(adjustment) aec_args=\"\(switches)\""
    }

    private static func hasExtendedFilterSwitch(_ server: String) -> Bool {
        let version = server.split(separator: " ").last.flatMap { $0.split(separator: ".").first }
        return version.flatMap { Int($0) }.map { $0 < 17 } ?? false
    }

    /// Removes the modules of processes that no longer exist, unless a program is recording from them.
    private static func removeStale(on connection: PulseConnection) throws(DeviceError) {
        // Intermediate sources always run, even if no program records the voice.
        let voices = try connection.sources().filter {
            $0.isRunning && !$0.name.hasSuffix(".monitor") && !$0.name.hasSuffix("_channels")
        }
        let busy = Set(voices.compactMap { PulseConnection.processID(in: $0.name, prefix) })
        try connection.removeModules(ofGoneProcessesIn: prefix, but: busy)
    }
}
