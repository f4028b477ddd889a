internal import FoundationEssentials
internal import MulticamMedia

/// A stream of one page. Numbers its pieces, and withholds pieces that a slow page would only queue up. A value type
/// owned by the web loop.
struct PageStream {
    /// The number that the page assigned to the stream.
    let number: UInt16
    let key: StreamKey
    private var sequence: UInt32 = 0
    private var acknowledged: UInt32 = 0
    private var awaitsKeyFrame: Bool
    private var setup: StreamSetup?

    init(_ number: UInt16, _ key: StreamKey) {
        (self.number, self.key) = (number, key)
        awaitsKeyFrame = key == .packets
    }

    /// Whether no piece has been sent yet.
    var isNew: Bool { sequence == 0 }

    /// Records that the page has drawn or dropped a piece.
    mutating func acknowledge(sequence: UInt32) {
        if sequence <= self.sequence { acknowledged = max(acknowledged, sequence) }
    }

    /// Returns the messages to send for a piece.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - current: The source's latest setup.
    ///   - start: T0 on CLOCK_MONOTONIC, in nanoseconds. This value is used for packets, because their
    ///     timestamps are relative to T0.
    /// - Returns: The piece as a message, with a setup message that must precede it if the setup has changed; `nil` if
    ///   the page has fallen behind.
    mutating func messages(
        for piece: StreamPiece, _ current: StreamSetup?, start: Int64?
    ) -> (setup: String?, bytes: Data)? {
        guard sequence - acknowledged < key.window else {
            awaitsKeyFrame = key == .packets
            return nil
        }
        if awaitsKeyFrame {
            guard piece.isKey else { return nil }
            awaitsKeyFrame = false
        }
        var text: String?
        if let current, current != setup {
            setup = current
            var numbered = current
            numbered.stream = number
            text = WebJSON.text(numbered)
        }
        sequence += 1
        let time = key == .packets ? piece.time.addingReportingOverflow(start ?? 0).partialValue : piece.time
        return (text, piece.message(stream: number, sequence: sequence, time: time))
    }
}

/// Identifies a stream that is received from the recorder once for all pages that watch it.
enum StreamKey: Hashable, Sendable {
    /// A camera's frames as JPEG, with a maximum width in pixels and a maximum rate in frames per second.
    case camera(role: String, width: Int, rate: Int)
    /// The program's composed frames as JPEG.
    case program(width: Int, rate: Int)
    /// The program's H.264 packets, as recorded.
    case packets
    /// The aligned audio of a microphone or of the program.
    case audio(role: String)

    /// Available JPEG widths. Only a few widths exist, so that pages of different sizes can share a stream.
    private static let widths = [160, 320, 480, 640, 960, 1280, 1920, 3840]

    /// Returns the key of a camera's or the program's frames.
    ///
    /// - Parameters:
    ///   - role: The camera's role; `nil` for the program.
    ///   - width: Width that the page needs, in pixels.
    ///   - rate: Frames per second that the page needs.
    /// - Returns: The key, with the width rounded up to an available width.
    static func frames(of role: String?, width: Int, rate: Int) -> StreamKey {
        let width = widths.first { $0 >= width } ?? widths[widths.count - 1]
        let rate = min(max(rate, 1), 60)
        return role.map { .camera(role: $0, width: width, rate: rate) } ?? .program(width: width, rate: rate)
    }

    /// Maximum number of unacknowledged pieces per page. For JPEG, two pieces are in transit while a third
    /// one is captured. For packets, the limit is the number of packets between two key frames.
    var window: UInt32 {
        switch self {
        case .camera, .program: 2
        case .packets: 240
        case .audio: 50
        }
    }

    /// Whether each piece replaces all earlier pieces.
    var isPicture: Bool {
        switch self {
        case .camera, .program: true
        case .packets, .audio: false
        }
    }
}

/// Decoder setup that a page needs before the first piece of a stream. Sent as a WebSocket message.
struct StreamSetup: Sendable, Equatable, Encodable {
    private var type = "stream"
    /// The number that the page assigned to the stream.
    var stream: UInt16 = 0
    /// `jpeg`, `pcm`, or an RFC 6381 codec string such as `avc1.640028`.
    let codec: String
    /// The decoder configuration record in base64 (ISO/IEC 14496-15, section 5.3.3).
    var description: String?
    var width: Int?
    var height: Int?
    var channels: Int?
    var sample_rate: Int?

    init(codec: String) { self.codec = codec }

    /// Creates the setup of an H.264 stream. Returns `nil` if the record is invalid.
    ///
    /// - Parameter record: The AVCDecoderConfigurationRecord. Bytes 1 to 3 of the record are profile, constraints and
    ///   level.
    init?(h264 record: [UInt8]) {
        guard record.count > 4, record[0] == 1 else { return nil }
        let hex = record[1...3].map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        codec = "avc1." + hex.joined()
        description = Data(record).base64EncodedString()
    }

    /// Creates the setup of 16-bit audio at 48 kHz.
    init(channels: Int) {
        codec = "pcm"
        self.channels = channels
        sample_rate = 48_000
    }
}

/// A frame, packet or audio slice to be sent to pages.
struct StreamPiece: Sendable {
    /// Type of the content. The raw value is the first byte of the WebSocket message.
    enum Kind: UInt8, Sendable {
        case jpeg = 1
        case h264 = 2
        case pcm = 3
    }

    let kind: Kind
    let isKey: Bool
    /// Timestamp in nanoseconds: on CLOCK_MONOTONIC or, for packets, relative to T0.
    let time: Int64
    var duration: Nanoseconds
    let bytes: SharedBytes
    /// Setup that the decoder needs before this piece.
    let setup: StreamSetup?

    /// Length of the message header in bytes.
    private static let prefix = 20

    /// Returns the piece as a WebSocket message. The layout of the message is described in
    /// docs/reference/control-room.md.
    ///
    /// - Parameters:
    ///   - stream: The number that the page assigned to the stream.
    ///   - sequence: The number of the piece within the stream.
    ///   - time: The timestamp on CLOCK_MONOTONIC, in nanoseconds.
    /// - Returns: A 20-byte header, followed by the content of the piece.
    func message(stream: UInt16, sequence: UInt32, time: Int64) -> Data {
        var message = Data(capacity: Self.prefix + bytes.count)
        message.append(kind.rawValue)
        message.append(isKey ? 1 : 0)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { message.append(contentsOf: $0) }
        }
        append(stream)
        append(sequence)
        append(time)
        append(UInt32(clamping: duration.count / 1000))
        message.append(contentsOf: bytes.bytes)
        return message
    }
}
