internal import FoundationEssentials
internal import Glibc
package import MulticamControl
package import MulticamInputs
package import MulticamMedia

/// A tap on a session in another process of this user. The tap delivers frames of a camera or the program,
/// audio, packets, status reports, or events.
///
/// The tap's handler runs on a separate thread. If the handler is too slow, the session drops data and counts
/// the dropped items.
package final class RemoteTap: Sendable {
    /// The kind of data that a tap receives.
    package enum Content: Sendable, Equatable {
        /// The frames of a camera, or of `program`. `isPreview` allows the session's governor to pause the
        /// frames.
        case frames(role: String, FrameRequest, isPreview: Bool = false)
        /// The aligned audio of a microphone, or of `program`.
        case audio(role: String)
        /// Faces and codes in the frames of a camera, as they are found.
        case metadata(role: String)
        /// The program's H.264 and AAC packets. During standby, a session encodes these packets only if a
        /// client requests them with `includesStandby`.
        case packets(includesStandby: Bool = false)
        /// The session's status, ten times per second.
        case status
        /// Events of the session, as they happen.
        case events
        /// The events of the current recording, at most the last 500, followed by events as they happen.
        case eventsSoFar
    }

    /// An item of received data. `lost` is the total number of items that were dropped because this process
    /// was too slow.
    package enum Piece: Sendable {
        case frame(CapturedFrame, lost: Int)
        case audio(AudioTap.Slice, lost: Int)
        /// A packet with its codec and timestamps. The first packet of a stream also contains the setup
        /// bytes.
        case packet(RemotePacket, lost: Int)
        /// Faces and codes in a frame of a camera, with the frame's capture time.
        case metadata(FrameAnalysis, role: String, at: ClockTime, lost: Int)
        /// The session's status as JSON, in the format printed by `multicam ctl status --json`.
        case status(String)
        /// An event as JSON, in the format of `events.ndjson`.
        case event(String, lost: Int)
        /// Past events, oldest first, each as JSON. Past events are delivered once, before the first `event`.
        case events([String])
        /// A refused request, with the reason as a sentence.
        case refused(String)
        /// The connection has ended. The item `end` is the last item that the handler receives.
        case end
    }

    private let connection: MediaConnection
    private let content: ConditionLock<Content>

    private static let id = 1

    /// Connects to a session and requests data.
    ///
    /// - Parameters:
    ///   - content: The kind of data to request.
    ///   - process: Process ID of the session; `nil` if only one session is running.
    ///   - path: Path of the media socket; `nil` to find the socket automatically.
    ///   - handler: A closure that is called for each item, one at a time, on the tap's thread.
    /// - Throws: `ControlError` if no connection to a session can be established.
    package convenience init(
        _ content: Content, process: Int32? = nil, path: String? = nil,
        handler: @escaping @Sendable (Piece) -> Void
    ) throws(ControlError) {
        try self.init(content, over: try MediaPath.connect(process: process, path: path), handler: handler)
    }

    /// Requests data over a socket that is connected to a session.
    package convenience init(
        _ content: Content, over socket: LocalSocket, handler: @escaping @Sendable (Piece) -> Void
    ) throws(ControlError) {
        try self.init(content, over: MediaConnection(socket), handler: handler)
    }

    private init(
        _ content: Content, over connection: MediaConnection, handler: @escaping @Sendable (Piece) -> Void
    ) throws(ControlError) {
        self.connection = connection
        self.content = ConditionLock(content)
        guard connection.send(content.requestedMedia.header(id: Self.id)) else {
            throw .system("the session closed the connection.")
        }
        do throws(ThreadError) {
            _ = try MediaThread(name: "remote:tap") {
                do throws(MediaLinkError) {
                    while let message = try connection.receive() {
                        if let piece = try Self.piece(of: message) { handler(piece) }
                    }
                } catch {
                    handler(.refused("invalid message from the session: \(error)"))
                }
                connection.close()
                handler(.end)
            }
        } catch {
            connection.close()
            throw .system("the connection to the session failed: \(error)")
        }
    }

    deinit { connection.close() }

    /// Requests a different part, size, rate, or format of the same frames. Other taps on the session aren't
    /// affected.
    package func change(to request: FrameRequest) {
        let requested = content.withLock { content -> RequestedMedia? in
            guard case .frames(let role, _, let isPreview) = content else { return nil }
            content = .frames(role: role, request, isPreview: isPreview)
            return content.requestedMedia
        }
        if let requested { _ = connection.send(requested.header(id: Self.id)) }
    }

    /// Ends the tap. The tap's handler receives `end`.
    package func close() { connection.close() }

    // MARK: Received content

    /// Returns the item that a message contains; `nil` for a message without one.
    ///
    /// - Throws: `MediaLinkError` if a required field is missing.
    package static func piece(of message: MediaMessage) throws(MediaLinkError) -> Piece? {
        let header = try MediaConnection.header(of: message)
        let lost = header.lost ?? 0
        switch header.type {
        case "frame": return .frame(try frame(header, message.bytes), lost: lost)
        case "audio":
            guard let first = header.first_sample, let at = header.at_ns, let channels = header.channels,
                channels > 0
            else { return nil }
            let samples = withExtendedLifetime(message.bytes) {
                stride(from: 0, to: message.bytes.count / 4 * 4, by: 4).map { offset in
                    Float(
                        bitPattern: UInt32(
                            littleEndian: message.bytes.bytes.loadUnaligned(
                                fromByteOffset: offset, as: UInt32.self)))
                }
            }
            return .audio(
                AudioTap.Slice(
                    firstSample: first, capturedAt: ClockTime(nanoseconds: at), channels: channels,
                    samples: samples), lost: lost)
        case "packet": return RemotePacket(header, message.bytes).map { .packet($0, lost: lost) }
        case "metadata":
            guard let role = header.role, let at = header.at_ns, let analysis = header.analysis else {
                return nil
            }
            return .metadata(analysis, role: role, at: ClockTime(nanoseconds: at), lost: lost)
        case "status": return .status(text(in: message))
        case "event": return .event(inner("event", of: message), lost: lost)
        case "events": return .events(text(in: message).split(separator: "\n").map { String($0) })
        case "error": return .refused(header.text ?? "")
        default: return nil
        }
    }

    private static func frame(
        _ header: MediaHeader, _ bytes: SharedBytes
    ) throws(MediaLinkError) -> CapturedFrame {
        guard let pixel = header.pixel.flatMap(PixelFormat.init(rawValue:)), let size = header.size,
            let at = header.at_ns, let sequence = header.sequence, let matrix = header.matrix,
            let range = header.range, size.isPlausible
        else { throw MediaLinkError("a frame is missing a required field.") }
        var planes: [FramePlane] = []
        if !pixel.isCompressed {
            planes = Self.planes(header.planes ?? [], of: pixel, size, byteCount: bytes.count)
            guard planes.count == FramePlane.packed(pixel, size).planes.count else {
                throw MediaLinkError("a raw frame is missing a plane.")
            }
        }
        return CapturedFrame(
            pixel: pixel, size: size, color: ColorDescription(matrix: matrix, range: range),
            capturedAt: ClockTime(nanoseconds: at), sequence: sequence, isKey: header.key ?? true,
            memory: bytes,
            planes: planes, isOwned: true)
    }

    /// Returns the planes of a raw frame, without planes that extend beyond the frame's bytes.
    private static func planes(
        _ reported: [[Int]], of pixel: PixelFormat, _ size: FrameSize, byteCount: Int
    ) -> [FramePlane] {
        let packed = FramePlane.packed(pixel, size)
        let ends = packed.planes.dropFirst().map(\.offset) + [packed.byteCount]
        return zip(reported, zip(packed.planes, ends)).compactMap { numbers, place in
            let (plane, end) = place
            guard numbers.count == 2, (0..<byteCount).contains(numbers[0]),
                (plane.stride...max(byteCount, plane.stride)).contains(numbers[1])
            else { return nil }
            let rows = (end - plane.offset) / plane.stride
            let last = numbers[0] + numbers[1] * (rows - 1) + plane.stride
            return last <= byteCount ? FramePlane(offset: numbers[0], stride: numbers[1]) : nil
        }
    }

    private static func text(in message: MediaMessage) -> String {
        String(decoding: message.bytes.bytes, as: UTF8.self)
    }

    /// Returns the unmodified JSON text of an object inside a message header.
    private static func inner(_ name: String, of message: MediaMessage) -> String {
        let text = String(decoding: message.header.bytes, as: UTF8.self)
        guard let start = text.firstRange(of: "\"\(name)\":{") else { return "" }
        return String(text[text.index(before: start.upperBound)...].dropLast())
    }
}

extension RemoteTap.Content {
    var requestedMedia: RequestedMedia {
        switch self {
        case .frames(let role, let request, let isPreview): .frames(role: role, request, isPreview: isPreview)
        case .audio(let role): .audio(role: role)
        case .metadata(let role): .metadata(role: role)
        case .packets(let includesStandby): .packets(includesStandby: includesStandby)
        case .status: .status
        case .events: .events(history: false)
        case .eventsSoFar: .events(history: true)
        }
    }
}

/// A program packet received from another process.
package struct RemotePacket: Sendable {
    /// Codec of the packet's content: `h264` or `aac`.
    package let codec: StreamParameters.Codec
    /// The encoded bytes of the packet.
    package let bytes: SharedBytes
    /// Presentation time relative to T0 or, during standby, to the start of the stream.
    package let presentedAt: MediaTime
    /// Decoding time, relative to the same instant as `presentedAt`.
    package let decodedAt: MediaTime
    /// Presentation duration of the packet.
    package let duration: Nanoseconds
    /// Whether the packet can be decoded without earlier packets.
    package let isKey: Bool
    /// The stream's setup bytes, present only in its first packet; otherwise `nil`.
    package let setup: [UInt8]?
    /// The stream's parameters, present only in its first packet; otherwise `nil`.
    package let parameters: StreamParameters?
    /// Origin of the timestamps on the session clock, present only in the stream's first packet; otherwise
    /// `nil`.
    package let start: ClockTime?

    init?(_ header: MediaHeader, _ bytes: SharedBytes) {
        guard let codec = header.codec, let at = header.at_ns, let decode = header.decode_ns,
            let duration = header.duration_ns
        else { return nil }
        self.codec = codec
        self.bytes = bytes
        presentedAt = MediaTime(nanoseconds: at)
        decodedAt = MediaTime(nanoseconds: decode)
        self.duration = Nanoseconds(duration)
        isKey = header.key ?? false
        start = header.t0_ns.map { ClockTime(nanoseconds: $0) }
        let setup = header.setup.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        self.setup = setup
        parameters = setup.map { setup in
            var audio: AudioFormat?
            if let rate = header.sample_rate, let channels = header.channels, rate > 0, channels > 0 {
                audio = AudioFormat(rate: rate, channels: channels)
            }
            return StreamParameters(
                codec: codec, timeScale: max(header.time_scale ?? 1, 1), setup: setup,
                size: header.size.flatMap { $0.isPlausible ? $0 : nil },
                rate: header.rate.flatMap { FrameRate($0) }, audio: audio, priming: header.priming ?? 0)
        }
    }
}
