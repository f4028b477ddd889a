public import Control
internal import Glibc
public import Inputs
public import Media

/// A tap on a session in another process of this user: a camera's or the program's frames, audio, packets, the status or events.
///
/// The handler runs on a thread of its own. While it is slow, the session drops what it does not take, and counts it.
public final class RemoteTap: Sendable {
    /// What a tap is for.
    public enum Content: Sendable, Equatable {
        /// The frames of a camera, or of `program`. `isPreview` lets the session's governor pause them.
        case frames(role: String, FrameRequest, isPreview: Bool = false)
        /// The aligned audio of a microphone, or of `program`.
        case audio(role: String)
        /// The program's H.264 and AAC, which a session on standby encodes only where somebody wants it to.
        case packets(includesStandby: Bool = false)
        /// The status, ten times a second.
        case status
        /// Events as they happen.
        case events
        /// The events of the recording that runs, at most the last 500, and then events as they happen.
        case eventsSoFar
    }

    /// What comes. `lost` is how many were dropped so far, because this process was too slow.
    public enum Piece: Sendable {
        case frame(CapturedFrame, lost: Int)
        case audio(AudioTap.Slice, lost: Int)
        /// A packet's bytes, with codec, times and, with the first packet of a stream, its setup.
        case packet(RemotePacket, lost: Int)
        /// The status as JSON, as `multicam ctl status --json` tells it.
        case status(String)
        /// An event as JSON, as in `events.ndjson`.
        case event(String, lost: Int)
        /// The events so far, the oldest first, each as JSON; once, before the first of `event`.
        case events([String])
        /// What the session refused, as a sentence.
        case refused(String)
        /// The connection has ended; nothing follows.
        case end
    }

    private let connection: MediaConnection
    private let content: ConditionLock<Content>

    private static let id = 1

    /// Connects to a session, and asks for what is wanted.
    ///
    /// - Parameters:
    ///   - content: What is wanted.
    ///   - process: The process identifier of the session; `nil` when only one runs.
    ///   - path: Path of the media socket; `nil` to find it.
    ///   - handler: Called for each piece, one at a time, on the tap's own thread.
    /// - Throws: `ControlError` when no session can be connected to.
    public convenience init(
        _ content: Content, process: Int32? = nil, path: String? = nil,
        handler: @escaping @Sendable (Piece) -> Void
    ) throws(ControlError) {
        try self.init(content, over: try MediaPath.connect(process: process, path: path), handler: handler)
    }

    /// Asks a session for what is wanted, over a socket that is connected to it.
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
        guard connection.send(content.wish.header(id: Self.id)) else {
            throw .system("the session has ended the connection.")
        }
        _ = MediaThread(name: "remote:tap") {
            do throws(MediaLinkError) {
                while let message = try connection.receive() {
                    if let piece = try Self.piece(of: message) { handler(piece) }
                }
            } catch {
                handler(.refused("the session's message is not understood: \(error)"))
            }
            connection.close()
            handler(.end)
        }
    }

    deinit { connection.close() }

    /// Asks for another part, size, rate or format of the same frames. Does nothing for other taps.
    public func change(to request: FrameRequest) {
        let wish = content.withLock { content -> MediaWish? in
            guard case .frames(let role, _, let isPreview) = content else { return nil }
            content = .frames(role: role, request, isPreview: isPreview)
            return content.wish
        }
        if let wish { _ = connection.send(wish.header(id: Self.id)) }
    }

    /// Ends the tap; its handler gets `end`.
    public func close() { connection.close() }

    // MARK: What comes

    static func piece(of message: MediaMessage) throws(MediaLinkError) -> Piece? {
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
        else { throw MediaLinkError("a frame lacks a field.") }
        var planes: [FramePlane] = []
        if !pixel.isCompressed {
            planes = Self.planes(header.planes ?? [], of: pixel, size, byteCount: bytes.count)
            guard planes.count == FramePlane.packed(pixel, size).planes.count else {
                throw MediaLinkError("a raw frame lacks a plane.")
            }
        }
        return CapturedFrame(
            pixel: pixel, size: size, color: ColorDescription(matrix: matrix, range: range),
            capturedAt: ClockTime(nanoseconds: at), sequence: sequence, isKey: header.key ?? true,
            memory: bytes,
            planes: planes, isOwned: true)
    }

    /// The planes that lie within the frame's bytes.
    private static func planes(
        _ told: [[Int]], of pixel: PixelFormat, _ size: FrameSize, byteCount: Int
    ) -> [FramePlane] {
        let packed = FramePlane.packed(pixel, size)
        let ends = packed.planes.dropFirst().map(\.offset) + [packed.byteCount]
        return zip(told, zip(packed.planes, ends)).compactMap { numbers, place in
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

    /// The object inside a header, as it was written.
    private static func inner(_ name: String, of message: MediaMessage) -> String {
        let text = String(decoding: message.header.bytes, as: UTF8.self)
        guard let start = text.firstRange(of: "\"\(name)\":{") else { return "" }
        return String(text[text.index(before: start.upperBound)...].dropLast())
    }
}

extension RemoteTap.Content {
    var wish: MediaWish {
        switch self {
        case .frames(let role, let request, let isPreview): .frames(role: role, request, isPreview: isPreview)
        case .audio(let role): .audio(role: role)
        case .packets(let includesStandby): .packets(includesStandby: includesStandby)
        case .status: .status
        case .events: .events(history: false)
        case .eventsSoFar: .events(history: true)
        }
    }
}
