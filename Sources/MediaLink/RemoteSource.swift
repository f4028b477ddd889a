internal import Glibc
package import MulticamControl
package import MulticamMedia

/// A camera or microphone whose frames or audio this process sends to a session in another process of the
/// same user. The session records the device as `remote:NAME`, like any other device. When this process ends,
/// the device is disconnected; the device can be announced again under the same name.
///
/// Sending blocks while the session isn't reading. Any thread may send, but only one thread at a time may
/// send for each source.
package final class RemoteSource: Sendable {
    private let connection: MediaConnection
    private let refusal = ConditionLock<String?>(nil)

    private static let id = 1

    /// Announces a camera to a session.
    ///
    /// - Parameters:
    ///   - name: The device's name, at most 64 bytes. The device's selector in the session is `remote:`
    ///     followed by this name.
    ///   - format: Format of the camera's frames: JPEG, H.264, or a raw format.
    ///   - color: Color matrix and range of the frames. For JPEG, both values are fixed by the JPEG standard.
    ///   - delay: Maximum time from the start of a frame's exposure until the frame is sent, at most 2 s.
    ///   - origin: Origin of the timestamps; `nil` if this process maps the camera's clock to the computer's
    ///     clock.
    ///   - process: Process ID of the session; `nil` if only one session is running.
    ///   - path: Path of the media socket; `nil` to find the socket automatically.
    /// - Throws: `ControlError` if no connection to a session can be established.
    package convenience init(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin? = nil, process: Int32? = nil, path: String? = nil
    ) throws(ControlError) {
        try self.init(
            Self.header(cameraNamed: name, format, color, delay: delay, dated: origin),
            over: try MediaPath.connect(process: process, path: path))
    }

    /// Announces a camera over a socket that is connected to a session. When the session sets camera
    /// controls, `controlRequestHandler` is called on a separate thread with a request number and the requested
    /// values by control name.
    package convenience init(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin?, over socket: LocalSocket,
        controlRequestHandler: @escaping @Sendable (Int, [String: Int64]) -> Void = { _, _ in }
    ) throws(ControlError) {
        try self.init(
            Self.header(cameraNamed: name, format, color, delay: delay, dated: origin),
            over: MediaConnection(socket), controlRequestHandler: controlRequestHandler)
    }

    /// Announces a microphone to a session.
    ///
    /// - Parameters:
    ///   - name: The device's name, at most 64 bytes. The device's selector in the session is `remote:`
    ///     followed by this name.
    ///   - format: Audio format: 8 000 to 192 000 samples per second, 1 to 8 channels.
    ///   - delay: Maximum time from capture until the audio is sent, at most 2 s.
    ///   - origin: Origin of the timestamps; `nil` if this process maps the microphone's clock to the
    ///     computer's clock.
    ///   - process: Process ID of the session; `nil` if only one session is running.
    ///   - path: Path of the media socket; `nil` to find the socket automatically.
    /// - Throws: `ControlError` if no connection to a session can be established.
    package convenience init(
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
        controlRequestHandler: @escaping @Sendable (Int, [String: Int64]) -> Void = { _, _ in }
    ) throws(ControlError) {
        self.connection = connection
        guard connection.send(header) else { throw .system("the session closed the connection.") }
        let refusal = refusal
        do throws(ThreadError) {
            _ = try MediaThread(name: "remote:source") {
                do throws(MediaLinkError) {
                    while let message = try connection.receive() {
                        let header = try MediaConnection.header(of: message)
                        switch header.type {
                        case "error": refusal.withLock { $0 = $0 ?? header.text }
                        case "set":
                            if let number = header.number, let set = header.set {
                                controlRequestHandler(number, set)
                            }
                        default: break
                        }
                    }
                } catch {
                    refusal.withLock { $0 = $0 ?? "invalid message from the session: \(error)" }
                }
                connection.close()
            }
        } catch {
            connection.close()
            throw .system("the connection to the session failed: \(error)")
        }
    }

    deinit { connection.close() }

    /// Reason why the session refuses the device or its data; `nil` if the session accepts them.
    package var problem: String? { refusal.withLock { $0 } }

    /// Sends a frame of the camera.
    ///
    /// - Parameters:
    ///   - bytes: A complete JPEG, an H.264 access unit in Annex B format, or all planes of a raw frame
    ///     without padding.
    ///   - time: Start of the frame's exposure on this machine's CLOCK_MONOTONIC.
    ///   - error: Maximum error of `time`, at least 0.
    ///   - sequence: The frame's number. Each missing number is counted as a lost frame.
    ///   - isKey: Whether the frame can be decoded without other frames; `false` is valid only for H.264.
    /// - Returns: Whether the data was sent; `false` if the connection has ended.
    package func send(
        frame bytes: SharedBytes, at time: ClockTime, error: Nanoseconds = .zero, sequence: Int64,
        isKey: Bool = true
    ) -> Bool {
        connection.send(
            #"{"type":"frame","id":\#(Self.id),"at_ns":\#(time.nanoseconds),"error_ns":\#(error.count),"sequence":\#(sequence),"key":\#(isKey)}"#,
            bytes)
    }

    /// Sends audio from the microphone.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples, at most one second of audio; full scale is ±1.
    ///   - time: Capture time of the first sample on this machine's CLOCK_MONOTONIC.
    ///   - error: Maximum error of `time`, at least 0.
    ///   - firstSample: The number of the first sample. Missing sample numbers are replaced with silence.
    /// - Returns: Whether the data was sent; `false` if the connection has ended.
    package func send(
        audio samples: [Float], at time: ClockTime, error: Nanoseconds = .zero, firstSample: Int64
    ) -> Bool {
        let bytes = samples.withUnsafeBytes { SharedBytes(copying: $0) }
        return connection.send(
            #"{"type":"audio","id":\#(Self.id),"at_ns":\#(time.nanoseconds),"error_ns":\#(error.count),"first_sample":\#(firstSample)}"#,
            bytes)
    }

    /// Reports the camera's controls to the session.
    ///
    /// - Returns: Whether the data was sent; `false` if the connection has ended.
    package func send(controls: ReportedControls) -> Bool {
        var header = MediaHeader("controls", id: Self.id)
        (header.controls, header.number, header.refused) = (
            controls.controls, controls.number, controls.refused
        )
        return connection.send(header)
    }

    /// Sends a remark about the camera to the user. The remark is stored as an event of the recording.
    ///
    /// - Parameter text: The remark, a sentence of at most 300 bytes.
    /// - Returns: Whether the data was sent; `false` if the connection has ended.
    package func sendRemark(_ text: String) -> Bool {
        var header = MediaHeader("remark", id: Self.id)
        header.text = text
        return connection.send(header)
    }

    /// Reports that the device is disconnecting, with the cause, and ends the connection.
    ///
    /// - Parameter cause: The cause of the disconnection, as stored in the recording, such as `network:
    ///   nothing has come for 3 s`.
    package func disconnect(because cause: String) {
        var header = MediaHeader("gone", id: Self.id)
        header.text = cause
        _ = connection.send(header)
        close()
    }

    /// Ends the connection. The device is then disconnected in the session.
    package func close() { connection.close() }
}
