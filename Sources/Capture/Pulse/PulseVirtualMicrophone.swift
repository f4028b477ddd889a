internal import CMulticamLinux
import Glibc
package import MulticamMedia

/// A source in the sound server that delivers the audio written by this process: a virtual microphone for other
/// programs, with a recognizable name.
///
/// The microphone consists of two server modules: an inaudible output, and a source that records this output.
/// If this process is killed, both modules remain and are silent, so that recording programs keep their
/// microphone. The next process with the same parent continues to use the modules. If the parent has exited
/// too, the next process of this program removes the modules.
///
/// Can be used from any thread except libpulse's thread. The last reference must not be released on libpulse's thread
/// either.
package final class PulseVirtualMicrophone: @unchecked Sendable {
    // The pointer is set once. The object behind the pointer is accessed only under the connection's lock.
    private let stream: OpaquePointer
    private let connection: PulseConnection
    private let format: AudioFormat
    private let modules: [UInt32]

    /// Name prefix of the source and the output; the parent's process ID follows.
    static let prefix = "multicam_live_"
    /// Maximum amount of audio queued in the server. Excess audio is dropped, which limits the delay.
    package static let longestWait = Nanoseconds.milliseconds(120)

    /// Creates the source.
    ///
    /// - Parameters:
    ///   - key: Key that distinguishes several microphones of one parent process.
    ///   - description: Display name.
    ///   - format: Format of the written audio: 48 kHz, at most 8 channels.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    ///   - timeLimit: Maximum time for each reply of the server.
    /// - Throws: `DeviceError` with `noSoundServer`, or `other` with advice if the server can't load a module.
    package init(
        key: String, description: String, format: AudioFormat, server: String? = nil,
        timeLimit: Nanoseconds = .seconds(2)
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server, timeLimit: timeLimit)
        try connection.removeModules(ofGoneProcessesIn: Self.prefix)
        let names = Names(parent: getppid(), key: key, description: description)
        let modules = try Self.load(names.modules(format), on: connection)
        let created = connection.locked { Self.makeStream(format, on: connection) }
        guard let created else {
            Self.unload(modules, on: connection)
            throw Self.failure(
                .other("the sound server's library does not support \(format.channels) channels."))
        }
        (stream, self.connection, self.format, self.modules) = (created, connection, format, modules)
        try connection.locked { () throws(DeviceError) in
            try connect(to: names.sink, within: timeLimit)
        }
    }

    deinit {
        connection.locked {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        Self.unload(modules, on: connection)
    }

    /// Writes samples to the source.
    ///
    /// - Parameter samples: Interleaved 32-bit floats, in the format's channels.
    /// - Returns: Whether the samples were queued; `false` if they were dropped because the queue is full.
    /// - Throws: `DeviceError` with `noSoundServer` if the server or the source is gone.
    package func write(_ samples: [Float]) throws(DeviceError) -> Bool {
        try connection.locked { () throws(DeviceError) in
            try checkLocked()
            let count = samples.count * MemoryLayout<Float>.size
            guard pa_stream_writable_size(stream) >= count else { return false }
            let result = samples.withUnsafeBytes {
                pa_stream_write(stream, $0.baseAddress, count, nil, 0, PA_SEEK_RELATIVE)
            }
            guard result >= 0 else { throw Self.failure(.noSoundServer(connection.failureText)) }
            return true
        }
    }

    /// Checks that the source exists.
    ///
    /// - Throws: `DeviceError` with `noSoundServer` if the server or the source is gone.
    package func check() throws(DeviceError) {
        try connection.locked { () throws(DeviceError) in try checkLocked() }
    }

    private func checkLocked() throws(DeviceError) {
        guard connection.isReady else { throw Self.failure(.noSoundServer("the connection was lost")) }
        guard pa_stream_get_state(stream) == PA_STREAM_READY else {
            throw Self.failure(.noSoundServer("the virtual microphone was removed"))
        }
    }

    private static func makeStream(_ format: AudioFormat, on connection: PulseConnection) -> OpaquePointer? {
        var sample = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: format.rate),
            channels: UInt8(clamping: format.channels))
        return pa_stream_new(connection.context, "multicam", &sample, nil)
    }

    /// Connects the stream to the sink. Must be called under the connection's lock.
    private func connect(to sink: String, within timeLimit: Nanoseconds) throws(DeviceError) {
        func bytes(_ time: Nanoseconds) -> UInt32 {
            UInt32(
                clamping: time.count.rescaled(from: 1_000_000_000, to: Int64(format.rate))
                    * Int64(format.channels * MemoryLayout<Float>.size))
        }
        var buffer = pa_buffer_attr(
            maxlength: bytes(Self.longestWait + .milliseconds(80)), tlength: bytes(Self.longestWait),
            prebuf: bytes(.milliseconds(40)), minreq: bytes(.milliseconds(10)), fragsize: .max)
        pa_stream_set_state_callback(
            stream, { _, context in PulseConnection.fromUserdata(context)?.wake() },
            Unmanaged.passUnretained(connection).toOpaque())
        // PA_STREAM_DONT_MOVE: prevents the mix from being played on the loudspeakers when the output is removed.
        let flags = pa_stream_flags_t(PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue)
        guard pa_stream_connect_playback(stream, sink, &buffer, flags, nil, nil) >= 0 else {
            throw Self.failure(.noSoundServer(connection.failureText))
        }
        _ = connection.wait(atMost: timeLimit) {
            pa_stream_get_state(stream) != PA_STREAM_CREATING || !connection.isReady
        }
        try checkLocked()
    }

    // MARK: Modules

    /// Names of the source and its output.
    struct Names {
        let sink: String
        let source: String
        let description: String

        init(parent: pid_t, key: String, description: String) {
            let word = key.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
            source = "\(PulseVirtualMicrophone.prefix)\(parent)_\(String(word.prefix(40)))"
            sink = source + "_out"
            // The servers' argument parsers treat three characters specially.
            self.description = String(
                description.printable(limit: 60).map { #""'\"#.contains($0) ? "_" : $0 })
        }

        /// Returns the modules and their arguments, in load order.
        func modules(_ format: AudioFormat) -> [(name: String, argument: String)] {
            func properties(_ text: String) -> String { "'device.description=\"\(text)\"'" }
            let shape = "format=float32le rate=\(format.rate) channels=\(format.channels)"
            return [
                (
                    "module-null-sink",
                    "sink_name=\(sink) \(shape) sink_properties=\(properties("\(description) (sent by multicam)"))"
                ),
                (
                    "module-remap-source",
                    "source_name=\(source) master=\(sink).monitor \(shape) remix=no source_properties=\(properties(description))"
                ),
            ]
        }
    }

    /// Loads modules, except those left by an earlier process of the same parent.
    private static func load(
        _ wanted: [(name: String, argument: String)], on connection: PulseConnection
    ) throws(DeviceError) -> [UInt32] {
        let present = try connection.modules()
        var loaded: [UInt32] = []
        for module in wanted {
            let named = module.argument.prefix { $0 != " " } + " "
            let left = present.first { $0.name == module.name && $0.argument.hasPrefix(named) }
            if let left, left.argument == module.argument {
                loaded.append(left.index)
                continue
            }
            if let left { _ = try connection.unload(module: left.index) }
            let (index, refusal) = try connection.load(module.name, module.argument)
            guard let index else {
                unload(loaded, on: connection)
                throw failure(
                    .other(
                        "the sound server could not load \(module.name) (\(refusal.printable())). Install the package pulseaudio "
                            + "or, with PipeWire, the package pipewire-pulse."))
            }
            loaded.append(index)
        }
        return loaded
    }

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

    private static func failure(_ reason: DeviceError.Reason) -> DeviceError {
        DeviceError(device: "PulseAudio", operation: "creating a virtual microphone", reason: reason)
    }
}

extension PulseConnection {
    fileprivate static func fromUserdata(_ context: UnsafeMutableRawPointer?) -> PulseConnection? {
        context.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
