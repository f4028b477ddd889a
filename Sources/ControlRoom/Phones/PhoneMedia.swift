internal import CMulticamSoup
internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamStudio

/// A frame or audio slice received from a phone in a binary message. The layout of the message is described
/// in docs/reference/control-room.md. Only the bounds are validated; the content is untrusted.
struct PhoneMedia {
    /// Type of the payload, for media that is sent live. Uses the raw values of `PhoneMessage.Kind`.
    enum Kind: UInt8 {
        case jpeg = 1
        case h264 = 2
        case pcm = 3
    }

    let kind: Kind
    /// Whether the frame can be decoded without other frames.
    let isKey: Bool
    /// Number of the frame, or of the first sample.
    let number: Int64
    /// Capture time on the phone's clock.
    let time: Nanoseconds
    let bytes: SharedBytes

    /// Maximum size of a message, in bytes.
    static let longest = WebSocketConnection.longestPhoneMessage
    /// Maximum size of an audio slice, in bytes: half a second of two channels at 192 kHz.
    private static let longestAudio = 4 * 96_000
    /// Number of bytes at the start of a key frame that are searched for parameter sets, which come first.
    private static let longestHead = 4096

    /// Parses a message. Returns `nil` if the message isn't a valid media message, or if its content doesn't start as
    /// its type requires.
    init?(_ message: UnsafeRawBufferPointer) {
        guard message.count > PhoneMessage.headerSize, message.count <= Self.longest,
            let head = PhoneMessage(message), let kind = Kind(rawValue: head.kind.rawValue)
        else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: message[PhoneMessage.headerSize...])
        guard Self.isPlausible(content, kind) else { return nil }
        (self.kind, isKey, number, time) = (kind, head.isKey, head.number, head.time)
        bytes = SharedBytes(copying: content)
    }

    /// Whether this is an H.264 key frame without parameter sets. No decoder can start with such a frame, and
    /// a file can't begin until the parameter sets arrive.
    var lacksParameterSets: Bool {
        kind == .h264 && isKey
            && AVCStreamConverter(setup: Array(bytes.bytes.prefix(Self.longestHead))).configurationRecord
                == nil
    }

    private static func isPlausible(_ content: UnsafeRawBufferPointer, _ kind: Kind) -> Bool {
        switch kind {
        case .jpeg: content.starts(with: [0xFF, 0xD8, 0xFF])
        case .h264: content.starts(with: [0, 0, 1]) || content.starts(with: [0, 0, 0, 1])
        case .pcm: content.count.isMultiple(of: 2) && content.count <= longestAudio
        }
    }
}

/// A phone's frame or audio slice, timestamped on CLOCK_MONOTONIC.
struct TimestampedPhoneMedia: Sendable {
    let kind: PhoneMedia.Kind
    /// Whether the frame can be decoded without other frames.
    let isKey: Bool
    /// Number of the frame, or of the first sample.
    let number: Int64
    let time: ClockTime
    /// Maximum error of `time`.
    let error: Nanoseconds
    let bytes: SharedBytes

    /// Adds a timestamp to a phone's media.
    init(_ media: PhoneMedia, at time: ClockTime, within error: Nanoseconds) {
        (kind, isKey, number, bytes) = (media.kind, media.isKey, media.number, media.bytes)
        (self.time, self.error) = (time, error)
    }
}

/// Description of the media that a phone will send, parsed from its first message. The message is untrusted input.
struct PhoneOffer: Sendable, Equatable {
    /// The reason why an offer is refused, as a sentence for the phone's user.
    struct Refusal: Error, Equatable {
        let sentence: String
    }

    /// Name that the phone's user chose.
    let name: String
    /// Selector of the camera and the microphone.
    let selector: String
    /// Identifies the same phone across connections: the SHA-256 of the key that it sends, in hexadecimal digits.
    let key: String
    let format: VideoFormat
    let color: ColorDescription
    /// Format of the audio; `nil` if the phone sends none.
    let audio: AudioFormat?
    /// Whether the phone's browser reports the capture times of frames instead of only their arrival times.
    let reportsCaptureTime: Bool

    /// The phone's identity, as used by the supervisor.
    var identity: PhoneIdentity { PhoneIdentity(device: selector, key: key) }

    /// Returns the origin of the timestamps of a kind of media. Browsers don't report when audio was captured.
    func origin(of kind: PhoneMedia.Kind) -> TimeOrigin {
        reportsCaptureTime && kind != .pcm ? .mapped : .arrival
    }

    private struct Text: Decodable {
        struct Audio: Decodable {
            var rate: Int
            var channels: Int
        }
        var name: String
        var key: String
        var video: PhoneFormat
        var audio: Audio?
        var dated: String
    }

    private static let keyLengths = 16...64

    /// Parses an offer.
    ///
    /// - Parameter text: A JSON object.
    /// - Throws: `Refusal` if the offer is invalid or unsupported.
    init(_ text: String) throws(Refusal) {
        let reported: Text
        do {
            reported = try JSONDecoder().decode(Text.self, from: Data(text.utf8))
        } catch {
            throw Refusal(
                sentence: "The page on the phone is from a different version of multicam. Reload the page.")
        }
        guard let selector = PhoneSelector.selector(of: reported.name) else {
            throw Refusal(
                sentence:
                    "A name must consist of 1 to 32 letters, digits, - or _, and must start with a letter or digit."
            )
        }
        guard Self.keyLengths.contains(reported.key.utf8.count), let key = Self.hash(reported.key) else {
            throw Refusal(sentence: "The phone's key is invalid. Reload the page.")
        }
        guard let format = reported.video.video else {
            throw Refusal(
                sentence:
                    "The phone's camera does not offer a supported format. Supported: H.264 or JPEG, up to 4096 pixels per side and 120 frames per second."
            )
        }
        if let audio = reported.audio {
            guard (8_000...192_000).contains(audio.rate), (1...2).contains(audio.channels) else {
                throw Refusal(sentence: "The phone's microphone does not offer a supported format.")
            }
        }
        (name, self.selector, self.key) = (reported.name, selector, key)
        (self.format, color) = (format, reported.video.color)
        audio = reported.audio.map { AudioFormat(rate: $0.rate, channels: $0.channels) }
        reportsCaptureTime = reported.dated == "capture"
    }

    private static func hash(_ key: String) -> String? {
        guard let digits = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1) else { return nil }
        defer { g_free(digits) }
        return String(cString: digits)
    }
}
