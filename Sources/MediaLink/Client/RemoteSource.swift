public import Control
internal import Glibc
public import Media

/// A camera or microphone that this process sends to a session in another process of the same user, which records it as
/// `remote:NAME`, like any other device. When this process ends, the device is away; it may come back under the same name.
///
/// Sending blocks while the session does not read. Any thread may send, one at a time for each source.
public final class RemoteSource: Sendable {
    private let connection: MediaConnection
    private let refusal = ConditionLock<String?>(nil)

    private static let id = 1

    /// Announces a camera.
    ///
    /// - Parameters:
    ///   - name: At most 64 bytes; the session's selector is `remote:` and this.
    ///   - format: The format of its frames: JPEG, H.264 or raw.
    ///   - color: Colour matrix and range of its frames; those of JPEG are always JPEG's.
    ///   - delay: The longest time from the start of exposure to the sending of a frame, at most 2 s.
    ///   - origin: Who dates the frames; `nil` for a process that relates the camera's clock to this computer's.
    ///   - process: The process identifier of the session; `nil` when only one runs.
    ///   - path: Path of the media socket; `nil` to find it.
    /// - Throws: `ControlError` when no session can be connected to.
    public convenience init(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin? = nil, process: Int32? = nil, path: String? = nil
    ) throws(ControlError) {
        try self.init(
            Self.header(cameraNamed: name, format, color, delay: delay, dated: origin),
            over: try MediaPath.connect(process: process, path: path))
    }

    /// Announces a camera over a socket that is connected to a session. `wish` is called with a number and values, by names, to which controls
    /// are to be set, on a thread of the source's own.
    package convenience init(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin?, over socket: LocalSocket,
        whenWished wish: @escaping @Sendable (Int, [String: Int64]) -> Void = { _, _ in }
    ) throws(ControlError) {
        try self.init(
            Self.header(cameraNamed: name, format, color, delay: delay, dated: origin),
            over: MediaConnection(socket), whenWished: wish)
    }

    /// Announces a microphone.
    ///
    /// - Parameters:
    ///   - name: At most 64 bytes; the session's selector is `remote:` and this.
    ///   - format: 8 000 to 192 000 samples a second, 1 to 8 channels.
    ///   - delay: The longest time from capture to sending, at most 2 s.
    ///   - origin: Who dates the audio; `nil` for a process that relates the microphone's clock to this computer's.
    ///   - process: The process identifier of the session; `nil` when only one runs.
    ///   - path: Path of the media socket; `nil` to find it.
    /// - Throws: `ControlError` when no session can be connected to.
    public convenience init(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds,
        dated origin: TimeOrigin? = nil, process: Int32? = nil, path: String? = nil
    ) throws(ControlError) {
        try self.init(
            Self.header(microphoneNamed: name, format, delay: delay, dated: origin),
            over: try MediaPath.connect(process: process, path: path))
    }

    /// Announces a microphone over a socket that is connected to a session.
    package convenience init(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds, dated origin: TimeOrigin?,
        over socket: LocalSocket
    ) throws(ControlError) {
        try self.init(
            Self.header(microphoneNamed: name, format, delay: delay, dated: origin),
            over: MediaConnection(socket))
    }

    private static func header(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin?
    ) -> MediaHeader {
        var header = MediaHeader("camera", id: id)
        header.name = name
        header.pixel = format.pixel.rawValue
        (header.width, header.height) = (format.size.width, format.size.height)
        header.rate = format.rate.description
        (header.matrix, header.range) = (color.matrix, color.range)
        header.delay_ns = delay.count
        header.clock = origin
        return header
    }

    private static func header(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds, dated origin: TimeOrigin?
    ) -> MediaHeader {
        var header = MediaHeader("microphone", id: id)
        header.name = name
        (header.sample_rate, header.channels) = (format.rate, format.channels)
        header.delay_ns = delay.count
        header.clock = origin
        return header
    }

    private init(
        _ header: MediaHeader, over connection: MediaConnection,
        whenWished wish: @escaping @Sendable (Int, [String: Int64]) -> Void = { _, _ in }
    ) throws(ControlError) {
        self.connection = connection
        guard connection.send(header) else { throw .system("the session has ended the connection.") }
        let refusal = refusal
        _ = MediaThread(name: "remote:source") {
            do throws(MediaLinkError) {
                while let message = try connection.receive() {
                    let header = try MediaConnection.header(of: message)
                    switch header.type {
                    case "error": refusal.withLock { $0 = $0 ?? header.text }
                    case "set": if let number = header.number, let set = header.set { wish(number, set) }
                    default: break
                    }
                }
            } catch {
                refusal.withLock { $0 = $0 ?? "the session's message is not understood: \(error)" }
            }
            connection.close()
        }
    }

    deinit { connection.close() }

    /// Why the session does not take the device, or what it sends; `nil` while it does.
    public var problem: String? { refusal.withLock { $0 } }

    /// Sends a frame.
    ///
    /// - Parameters:
    ///   - bytes: A whole JPEG, an H.264 access unit in Annex B, or all planes of a raw frame, packed.
    ///   - time: When its exposure began, on CLOCK_MONOTONIC of this machine.
    ///   - error: How far off `time` may be, at least 0.
    ///   - sequence: The frame's number; what is missing counts as lost.
    ///   - isKey: Whether it can be decoded alone. Only of H.264 it may be `false`.
    /// - Returns: `false` when the connection has ended.
    public func send(
        frame bytes: SharedBytes, at time: ClockTime, error: Nanoseconds = .zero, sequence: Int64,
        isKey: Bool = true
    ) -> Bool {
        connection.send(
            #"{"type":"frame","id":\#(Self.id),"at_ns":\#(time.nanoseconds),"error_ns":\#(error.count),"sequence":\#(sequence),"key":\#(isKey)}"#,
            bytes)
    }

    /// Sends audio.
    ///
    /// - Parameters:
    ///   - samples: Interleaved; full scale is ±1. At most a second.
    ///   - time: When the first sample was captured, on CLOCK_MONOTONIC of this machine.
    ///   - error: How far off `time` may be, at least 0.
    ///   - firstSample: The number of the first sample; a jump is silence.
    /// - Returns: `false` when the connection has ended.
    public func send(
        audio samples: [Float], at time: ClockTime, error: Nanoseconds = .zero, firstSample: Int64
    ) -> Bool {
        let bytes = samples.withUnsafeBytes { SharedBytes(copying: $0) }
        return connection.send(
            #"{"type":"audio","id":\#(Self.id),"at_ns":\#(time.nanoseconds),"error_ns":\#(error.count),"first_sample":\#(firstSample)}"#,
            bytes)
    }

    /// Says which controls the camera has.
    ///
    /// - Returns: `false` when the connection has ended.
    package func send(controls told: ToldControls) -> Bool {
        var header = MediaHeader("controls", id: Self.id)
        (header.controls, header.number, header.refused) = (told.controls, told.number, told.refused)
        return connection.send(header)
    }

    /// Says what a person should know of the camera: it becomes an event of the recording.
    ///
    /// - Parameter text: A sentence of at most 300 bytes.
    /// - Returns: `false` when the connection has ended.
    public func remark(_ text: String) -> Bool {
        var header = MediaHeader("remark", id: Self.id)
        header.text = text
        return connection.send(header)
    }

    /// Says that the device leaves and why, and ends the connection.
    ///
    /// - Parameter cause: Why the device is away, as it stands in the recording: `network: nothing has come for 3 s`.
    public func leave(because cause: String) {
        var header = MediaHeader("gone", id: Self.id)
        header.text = cause
        _ = connection.send(header)
        close()
    }

    /// Ends the connection; the device is away in the session.
    public func close() { connection.close() }
}
