/// A binary message of a phone: what it is, its number and its time, then the content; docs/reference/control-room.md has the layout. The
/// same messages, with a length before each, are what a phone stores of a recording. A value: nothing of it is trusted but its bounds.
public struct PhoneMessage: Sendable, Equatable {
    /// What the content is. The raw value is the first byte of the message.
    public enum Kind: UInt8, Sendable {
        case jpeg = 1
        /// A frame in H.264, in Annex B.
        case h264 = 2
        /// Samples of audio, 16 bits each, little endian.
        case pcm = 3
        /// In what is stored: how the phone's clock was related to CLOCK_MONOTONIC, as two numbers of 64 bits: what is added to the phone's
        /// time, and how far off that may be, both in microseconds.
        case date = 4
        /// In what is stored: the format of the frames, as an object of JSON.
        case format = 5
        /// A piece of what is stored; the number is its offset in bytes.
        case stored = 6
    }

    /// What the content is.
    public let kind: Kind
    /// Whether a frame can be decoded alone.
    public let isKey: Bool
    /// The number of the frame, of the first sample, or the offset of a piece in bytes; from 0.
    public let number: Int64
    /// The phone's time.
    public let time: Nanoseconds

    /// Bytes before the content.
    public static let prefix = 20
    /// Numbers and times, in microseconds, beyond which JavaScript does not count exactly.
    private static let most: Int64 = 1 << 53

    /// Reads what stands before the content; `nil` when it is none.
    ///
    /// - Parameter bytes: The message, or its first `prefix` bytes.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.prefix, let kind = Kind(rawValue: bytes[0]), bytes[2] == 0, bytes[3] == 0
        else { return nil }
        func integer(at offset: Int) -> Int64 {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
        }
        let (number, time) = (integer(at: 4), integer(at: 12))
        guard (0..<Self.most).contains(number), (0..<Self.most).contains(time) else { return nil }
        (self.kind, self.number, self.time) = (kind, number, .microseconds(time))
        isKey = kind != .h264 || bytes[1] & 1 == 1
    }
}
