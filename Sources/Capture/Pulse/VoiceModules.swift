internal import CLinux
internal import Glibc
internal import Media

/// The sound server's modules that remove echo and noise from one microphone: loaded by `init`, unloaded by `unload`,
/// at the latest with the last reference. Modules that a dead process left behind are found by their names, and removed
/// by the next process.
final class VoiceModules: Sendable {
    /// Beginning of the names of all sources and sinks that are made; the process's number follows.
    static let prefix = "multicam_voice_"

    /// Name of the source that delivers the processed audio.
    let source: String
    /// Name of the output whose audio is removed; `nil` without echo cancellation.
    let sink: String?
    /// Whether the server is PipeWire's, whose module counts other delays.
    let isPipeWire: Bool
    private let connection: PulseConnection
    /// Numbers of the loaded modules, in the order in which they were loaded.
    private let loaded: ConditionLock<[UInt32]>

    /// Loads the modules.
    ///
    /// - Parameters:
    ///   - master: The microphone's source.
    ///   - role: The role that the microphone plays; a part of the names.
    ///   - voice: Whether echo and noise are removed.
    ///   - pick: The microphone's channels to use, from 0; all when empty.
    ///   - connection: A connection to the microphone's server.
    /// - Throws: `DeviceError` when the server has no such module, does not load it, or goes away.
    init(
        of master: PulseSource, role: String, _ voice: VoiceSettings, pick: [Int],
        on connection: PulseConnection
    ) throws(DeviceError) {
        self.connection = connection
        try Self.removeStale(on: connection)
        let name = "\(Self.prefix)\(getpid())_\(role)"
        source = name
        let (server, _) = try connection.serverFacts()
        isPipeWire = server.contains("PipeWire")
        var loaded: [UInt32] = []
        do throws(DeviceError) {
            var output: String?
            if voice.echo {
                sink = "\(name)_out"
                output = try Self.output(on: connection, for: master)
            } else {
                sink = nil
                // The module needs a sink to compare with, even without echo cancellation: this one is silent. PulseAudio's would
                // play two seconds ahead, and the module would shift the voice by 14 ms when it first learns of that.
                let soon = isPipeWire ? "" : "norewinds=1 "
                output = "\(name)_rest"
                loaded.append(
                    try Self.load(
                        "module-null-sink",
                        "sink_name=\(name)_rest rate=\(master.format.rate) channels=1 \(soon)"
                            + "sink_properties=device.description=Multicam-rest-\(role)", master, connection))
            }
            var (heard, channels) = (master.name, master.format.channels)
            let positions = pick.filter { $0 < master.channelPositions.count }.compactMap {
                pa_channel_position_to_string(pa_channel_position_t(master.channelPositions[$0]))
            }.map { String(cString: $0) }
            if !positions.isEmpty, positions.count < master.channelPositions.count {
                (heard, channels) = ("\(name)_pick", positions.count)
                let own = positions.count == 1 ? ["mono"] : ["front-left", "front-right"]
                loaded.append(
                    try Self.load(
                        "module-remap-source",
                        "source_name=\(heard) master=\(master.name) channels=\(positions.count) remix=no "
                            + "master_channel_map=\(positions.joined(separator: ",")) "
                            + "channel_map=\(own.joined(separator: ","))", master, connection))
            }
            // PipeWire's module would mix two equal channels to one that is 3 dB louder. So it keeps both, and they are averaged
            // when the source is recorded.
            let width = isPipeWire && channels == 2 ? 2 : 1
            let method = Self.arguments(voice, server: server)
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

    /// Unloads the modules. Modules that the server keeps are gone with the server, or the next recording removes them.
    func unload() {
        let modules = loaded.withLock { modules in
            defer { modules = [] }
            return modules
        }
        Self.unload(modules, on: connection)
    }

    /// Samples per second of the processed audio: the highest rate that webrtc's suppression works in.
    static let rate = 48_000

    private static func unload(_ modules: [UInt32], on connection: PulseConnection) {
        for module in modules.reversed() {
            do throws(DeviceError) {
                _ = try connection.unload(module: module)
            } catch {
                // The server is gone, and its modules with it.
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
                device: master.selector, operation: "take out echo and noise",
                reason: .other(
                    "the sound server does not load \(module) (\(refusal.printable())). Install the package pulseaudio, or with "
                        + "PipeWire libspa-0.2-modules, or take `voice` out of the profile."))
        }
        return index
    }

    /// Name of the output that the computer plays through.
    private static func output(
        on connection: PulseConnection, for master: PulseSource
    ) throws(DeviceError) -> String {
        if let name = try connection.defaultSinkName(), !name.isEmpty, !name.hasPrefix("@"),
            !name.hasPrefix(prefix)
        {
            return name
        }
        throw DeviceError(
            device: master.selector, operation: "take out echo",
            reason: .other(
                "the sound server has no output whose audio could come back. Choose one with `pactl set-default-sink`, or "
                    + "take `echo` out of the profile's `voice`."))
    }

    /// Builds the module's arguments for webrtc. Gains are left alone: levels are a person's, and the mix has its own.
    /// Without the extended filter, echoes that come later than some tens of milliseconds stay (tools/suppression).
    ///
    /// PulseAudio's module keeps recorded and played audio together by leaving out audio, of the microphone too,
    /// wherever they are 5 ms apart. Here it does so not at all where nothing is played, and from 40 ms on elsewhere,
    /// which the extended filter follows.
    ///
    /// From PulseAudio 17 on the extended filter is always on: its switch is gone, and a module with the switch in its
    /// arguments is not loaded.
    ///
    /// - Parameters:
    ///   - voice: Whether echo and noise are removed.
    ///   - server: The server's name and version, such as `pulseaudio 16.1`.
    /// - Returns: Words for `module-echo-cancel`.
    static func arguments(_ voice: VoiceSettings, server: String) -> String {
        let noise = voice.noise
        guard !server.contains("PipeWire") else {
            return
                "aec_args=\"webrtc.noise_suppression=\(noise) webrtc.gain_control=false webrtc.voice_detection=false "
                + "webrtc.extended_filter=true webrtc.high_pass_filter=\(noise)\""
        }
        let adjustment = voice.echo ? "adjust_threshold=40" : "adjust_time=0"
        let switches =
            "noise_suppression=\(noise ? 1 : 0) analog_gain_control=0 digital_gain_control=0 voice_detection=0 "
            + "\(hasExtendedFilterSwitch(server) ? "extended_filter=1 " : "")high_pass_filter=\(noise ? 1 : 0)"
        return "\(adjustment) aec_args=\"\(switches)\""
    }

    private static func hasExtendedFilterSwitch(_ server: String) -> Bool {
        let version = server.split(separator: " ").last.flatMap { $0.split(separator: ".").first }
        return version.flatMap { Int($0) }.map { $0 < 17 } ?? false
    }

    /// Removes the modules of processes that are gone, where nobody records from them.
    private static func removeStale(on connection: PulseConnection) throws(DeviceError) {
        // Intermediate sources run for the voice, whether a program records the voice or not.
        let voices = try connection.sources().filter {
            $0.isRunning && !$0.name.hasSuffix(".monitor") && !$0.name.hasSuffix("_pick")
        }
        let busy = Set(voices.compactMap { PulseConnection.process(in: $0.name, prefix) })
        try connection.removeModules(ofGoneProcessesIn: prefix, but: busy)
    }
}
