internal import FoundationEssentials
internal import Media

/// A frame, a packet or a slice of audio on its way to pages.
struct StreamPiece: Sendable {
    /// What the bytes are. The raw value is the first byte of a message on the WebSocket.
    enum Kind: UInt8, Sendable {
        case jpeg = 1
        case h264 = 2
        case pcm = 3
    }

    let kind: Kind
    let isKey: Bool
    /// CLOCK_MONOTONIC in nanoseconds; of packets since T0.
    let time: Int64
    var duration: Nanoseconds
    let bytes: SharedBytes
    /// What a decoder needs before it.
    let setup: StreamSetup?

    /// Bytes before those of a piece.
    private static let prefix = 20

    /// The message of the WebSocket: docs/reference/control-room.md has its layout.
    ///
    /// - Parameters:
    ///   - stream: The page's number of the stream.
    ///   - sequence: The number of the piece on that stream.
    ///   - time: Its time on CLOCK_MONOTONIC, in nanoseconds.
    /// - Returns: A prefix of 20 bytes, and the piece's own.
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
