internal import Containers
internal import Media

/// A frame or a slice of audio as a phone sends it, in a binary message; docs/reference/control-room.md has the layout. A value that holds
/// what the bytes say: nothing of it is trusted but its bounds.
struct PhoneMedia {
    /// What the bytes are, of the kinds that are sent as they are captured. The raw value is that of `PhoneMessage.Kind`.
    enum Kind: UInt8 {
        case jpeg = 1
        case h264 = 2
        case pcm = 3
    }

    let kind: Kind
    /// Whether a frame can be decoded alone.
    let isKey: Bool
    /// The number of the frame, or of the first sample.
    let number: Int64
    /// The phone's time when it was captured.
    let time: Nanoseconds
    let bytes: SharedBytes

    /// Most bytes of a message.
    static let longest = WebSocketLink.longestPhoneMessage
    /// Most bytes of a slice of audio: half a second of two channels at 192 kHz.
    private static let longestAudio = 4 * 96_000
    /// Bytes at the beginning of a key frame in which its parameter sets are looked for: they come first.
    private static let longestHead = 4096

    /// Reads a message; `nil` when it is none, or its content does not begin as such content does.
    init?(_ message: UnsafeRawBufferPointer) {
        guard message.count > PhoneMessage.prefix, message.count <= Self.longest,
            let head = PhoneMessage(message), let kind = Kind(rawValue: head.kind.rawValue)
        else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: message[PhoneMessage.prefix...])
        guard Self.isPlausible(content, kind) else { return nil }
        (self.kind, isKey, number, time) = (kind, head.isKey, head.number, head.time)
        bytes = SharedBytes(copying: content)
    }

    /// Whether it is a key frame of H.264 with which no decoder can begin, since it has no parameter sets. A file would wait for them.
    var lacksParameterSets: Bool {
        kind == .h264 && isKey
            && PlainStream(setup: Array(bytes.bytes.prefix(Self.longestHead))).record == nil
    }

    private static func isPlausible(_ content: UnsafeRawBufferPointer, _ kind: Kind) -> Bool {
        switch kind {
        case .jpeg: content.starts(with: [0xFF, 0xD8, 0xFF])
        case .h264: content.starts(with: [0, 0, 1]) || content.starts(with: [0, 0, 0, 1])
        case .pcm: content.count.isMultiple(of: 2) && content.count <= longestAudio
        }
    }
}
