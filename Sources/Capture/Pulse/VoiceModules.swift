internal import CLinux
internal import Glibc
internal import Media

/// The sound server's modules that take echo and noise out of one microphone: loaded by `init`, taken away by `unload`, at the
/// latest with the last reference. What a process that died left behind is found by its names, and removed by the next one.
final class VoiceModules: Sendable {
    /// What the names of all that is made begin with; the process's number follows.
    static let prefix = "multicam_voice_"

    /// The name of the source that has what is left.
    let source: String
    /// The name of the output whose audio is taken out; `nil` without echo cancellation.
    let sink: String?
    /// Whether the server is PipeWire's, whose module counts other delays.
    let isPipeWire: Bool
    private let connection: PulseConnection
    /// In the order in which they were loaded.
    private let loaded: ConditionLock<[UInt32]>

    /// - Parameters:
    ///   - master: Of the microphone.
    ///   - role: Which it plays: a part of the names.
    ///   - voice: What is to be taken out.
    ///   - pick: Of its channels, from 0; all when empty.
    ///   - connection: To the microphone's server.
    /// - Throws: When the server has no such module, or will not load it.
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
                // The module wants something to compare with, even where there is no echo: this one says nothing. PulseAudio's would
                // say it two seconds ahead, and the module would shift the voice by 14 ms when it first hears of it.
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
            // PipeWire's module would make one of two equal channels that is 3 dB above them. It keeps both, and their mean is made
            // when its source is heard.
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

    /// Takes them away. What the server does not let go it will have lost anyway, or the next recording removes it.
    func unload() {
        let modules = loaded.withLock { modules in
            defer { modules = [] }
            return modules
        }
        Self.unload(modules, on: connection)
    }

    /// Samples per second of what is left: the highest that webrtc's suppression works in.
    static let rate = 48_000

    private static func unload(_ modules: [UInt32], on connection: PulseConnection) {
        for module in modules.reversed() {
            do throws(DeviceError) {
                _ = try connection.unload(module: module)
            } catch {
                // The server is gone, and they with it.
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

    /// The output that the computer plays through.
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

    /// webrtc's switches in the words of the server. Gains are left alone: levels are a person's, and the mix has its own. Without
    /// the extended filter, echoes that come later than some tens of milliseconds stay (tools/suppression).
    ///
    /// PulseAudio's module keeps what is heard and what is played together by leaving out audio, of the microphone too, wherever
    /// they are 5 ms apart: not at all where nothing is played, and where they are 40 ms apart, which the extended filter follows.
    ///
    /// From PulseAudio 17 on the extended filter is what there is: its switch is gone, and a module that is told of it is not loaded.
    ///
    /// - Parameters:
    ///   - voice: What is to be taken out.
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

    /// Removes what processes that are gone have left, where nobody records from it.
    private static func removeStale(on connection: PulseConnection) throws(DeviceError) {
        // What stands between is at work for the voice, whether anybody listens to that or not.
        let voices = try connection.sources().filter {
            $0.isRunning && !$0.name.hasSuffix(".monitor") && !$0.name.hasSuffix("_pick")
        }
        let busy = Set(voices.compactMap { process(in: $0.name) })
        for module in try connection.modules().reversed() {
            guard let process = process(of: module.argument), process != getpid(), !busy.contains(process),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            _ = try connection.unload(module: module.index)
        }
    }

    /// The process that a module of ours was loaded by; `nil` for all others.
    static func process(of argument: String) -> pid_t? {
        for word in argument.split(separator: " ") {
            for key in ["source_name=", "sink_name="] where word.hasPrefix(key) {
                if let process = process(in: String(word.dropFirst(key.count))) { return process }
            }
        }
        return nil
    }

    /// Likewise by the name of what it made.
    private static func process(in name: String) -> pid_t? {
        guard name.hasPrefix(prefix) else { return nil }
        return name.dropFirst(prefix.count).split(separator: "_").first.flatMap { pid_t($0) }
    }
}
