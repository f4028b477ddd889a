/// Binary message from a phone: type, number, time, and content. See docs/reference/control-room.md for the
/// layout. A recording stored on the phone consists of the same messages, each with a length prefix. Treat
/// the content as untrusted: the parser validates only the header.
package struct PhoneMessage: Sendable, Equatable {
    /// Type of a message's content. The raw value is the first byte of the message.
    package enum Kind: UInt8, Sendable {
        case jpeg = 1
        /// H.264 frame in Annex B format.
        case h264 = 2
        /// Audio samples, 16-bit little-endian.
        case pcm = 3
        /// In stored recordings only: the relation of the phone's clock to CLOCK_MONOTONIC, as two 64-bit
        /// integers in microseconds. The first integer is the offset to add to the phone's time; the second
        /// is the offset's maximum error.
        case date = 4
        /// In stored recordings only: the frame format as a JSON object.
        case format = 5
        /// Chunk of a stored recording; the message's number is the chunk's offset in bytes.
        case stored = 6
    }

    /// Type of the content.
    package let kind: Kind
    /// Whether the frame can be decoded without other frames.
    package let isKey: Bool
    /// Number of the frame or of the first sample, or the byte offset of a chunk; starting at 0.
    package let number: Int64
    /// Capture time on the phone's clock.
    package let time: Nanoseconds

    /// Size of a message header in bytes.
    package static let headerSize = 20
    /// Upper limit for message numbers, and for times in microseconds. JavaScript can't represent larger
    /// integers exactly.
    private static let maxInteger: Int64 = 1 << 53

    /// Parses the header of a phone's message; returns `nil` if the header is invalid.
    ///
    /// - Parameter bytes: The message, or its first `headerSize` bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerSize, let kind = Kind(rawValue: bytes[0]), bytes[2] == 0,
            bytes[3] == 0
        else { return nil }
        func integer(at offset: Int) -> Int64 {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
        }
        let (number, time) = (integer(at: 4), integer(at: 12))
        guard (0..<Self.maxInteger).contains(number), (0..<Self.maxInteger).contains(time) else { return nil }
        (self.kind, self.number, self.time) = (kind, number, .microseconds(time))
        isKey = kind != .h264 || bytes[1] & 1 == 1
    }
}

/// Format of a phone's frames, sent as JSON by the web page on the phone. All values are untrusted.
package struct PhoneFormat: Sendable, Decodable {
    private let codec: String
    private let width: Int
    private let height: Int
    private let rate: Double
    private let matrix: String?
    private let full: Bool?

    private static let codecs: [String: PixelFormat] = ["h264": .h264, "jpeg": .mjpeg]
    private static let sides = 16...4096
    private static let rates = 1.0...120

    /// Video format; `nil` if frames in the format can't be recorded. The codec must be H.264 or JPEG, width
    /// and height must be even and in 16…4096, and the rate must be 1…120 frames per second.
    package var video: VideoFormat? {
        guard let pixel = Self.codecs[codec], Self.sides.contains(width), Self.sides.contains(height),
            width.isMultiple(of: 2), height.isMultiple(of: 2), Self.rates.contains(rate),
            let rate = FrameRate(rate.rounded())
        else { return nil }
        return VideoFormat(pixel: pixel, size: FrameSize(width: width, height: height), rate: rate)
    }

    /// Color description of the frames. The description is fixed for JPEG, and reported by the phone's page
    /// for H.264.
    package var color: ColorDescription {
        Self.codecs[codec] == .mjpeg
            ? .jpeg
            : ColorDescription(
                matrix: matrix == "bt709" ? .bt709 : .bt601, range: full == true ? .full : .limited)
    }
}

/// Selector of a phone's camera and microphone, `phone:NAME`. The control room's web process provides both
/// devices under this name.
package enum PhoneSelector {
    /// Prefix of all phone selectors.
    package static let scheme = "phone:"
    private static let longestName = 32

    /// Whether a selector names a phone.
    package static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) }

    /// Returns the selector of a phone with the given name.
    ///
    /// - Parameter name: The name chosen by the phone's user.
    /// - Returns: The selector. The result is `nil` unless the name consists of 1 to 32 ASCII letters,
    ///   digits, `-`, and `_`, and begins with a letter or digit.
    package static func selector(of name: String) -> String? {
        name.isPlainName(longest: longestName) ? scheme + name : nil
    }
}
