package import Control
package import Media

/// A media socket message: a JSON header and binary data.
package struct MediaMessage: Sendable {
    /// The header, a JSON object.
    package let header: SharedBytes
    /// The data after the header; may be empty.
    package let bytes: SharedBytes

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - header: A JSON object in UTF-8.
    ///   - bytes: The data that follows the header.
    package init(header: SharedBytes, bytes: SharedBytes = SharedBytes(count: 0)) {
        self.header = header
        self.bytes = bytes
    }

    /// The first bytes of each message. The last of these bytes is the protocol version.
    static let magic: [UInt8] = Array("mcm1".utf8)
    /// Length of the prefix before the header: the magic bytes, and the lengths of the header and the data as
    /// little-endian 32-bit numbers.
    static let prefixLength = 12
    /// Maximum length of a header, in bytes.
    static let longestHeader = 1 << 16
    /// Maximum length of the data after a header, in bytes: a raw frame of 4096 × 4096 pixels at 4 bytes per pixel.
    static let longestBytes = 1 << 26

    static func prefix(header: Int, bytes: Int) -> [UInt8] {
        magic + little(header) + little(bytes)
    }

    private static func little(_ number: Int) -> [UInt8] {
        let value = UInt32(truncatingIfNeeded: number)
        return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Parses the lengths in a prefix. Returns `nil` if the prefix is invalid or a length exceeds its limit.
    static func lengths(in prefix: UnsafeRawBufferPointer) -> (header: Int, bytes: Int)? {
        guard prefix.count == prefixLength, prefix.prefix(magic.count).elementsEqual(magic) else {
            return nil
        }
        func number(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(prefix[offset + $1]) << (8 * $1) }
        }
        let (header, bytes) = (number(4), number(8))
        guard (1...longestHeader).contains(header), bytes <= longestBytes else { return nil }
        return (header, bytes)
    }
}

/// Fields of a message header. A message's `type` determines which fields are present. For the list, see
/// docs/reference/media-socket.md.
package struct MediaHeader: Codable, Sendable {
    /// Type of the message. To a session: `want`, `unwant`, `camera`, `microphone`, `frame`, `audio`, `remark`,
    /// `controls`, `gone`. From a session: `hello`, `set`, `frame`, `audio`, `packet`, `status`, `event`, `events`,
    /// `error`, `end`.
    package var type: String
    /// ID of a subscription or device, chosen by the sender.
    package var id: Int?
    package var text: String?

    // The requested data.
    package var of: String?
    package var role: String?
    package var format: String?
    /// x, y, width, and height as fractions of the frame.
    package var part: [Double]?
    package var preview: Bool?
    /// Whether the program is also encoded for this subscription during standby.
    package var standby: Bool?
    /// Whether to send the past events first.
    package var history: Bool?

    // Fields for devices, frames, and audio.
    package var name: String?
    package var pixel: String?
    package var width: Int?
    package var height: Int?
    /// Frames per second, such as `30` or `30000/1001`.
    package var rate: String?
    package var matrix: ColorDescription.Matrix?
    package var range: ColorDescription.Range?
    package var delay_ns: Int64?
    /// Origin of the timestamps of a device's frames or audio.
    package var clock: TimeOrigin?
    package var sample_rate: Int?
    package var channels: Int?
    package var at_ns: Int64?
    package var error_ns: Int64?
    package var sequence: Int64?
    package var key: Bool?
    package var first_sample: Int64?
    /// Offset and stride of each plane, in bytes.
    package var planes: [[Int]]?
    /// Number of bytes in shared memory. The descriptor is sent with the message.
    package var memory: Int?
    /// Number of frames, slices, or packets of the subscription that have been dropped so far.
    package var lost: Int?

    // A camera's controls, in the format of `multicam controls --json`.
    package var controls: [ControlsReport.Control]?
    /// Number of a control request and its answer.
    package var number: Int?
    /// Requested values, by control name.
    package var set: [String: Int64]?
    /// Names of the controls that didn't accept the requested value.
    package var refused: [String]?

    // Fields for the program's packets.
    package var codec: StreamParameters.Codec?
    package var decode_ns: Int64?
    package var duration_ns: Int64?
    package var priming: Int64?
    package var time_scale: Int64?
    /// Zero point of the packets' timestamps, in nanoseconds on the session clock.
    package var t0_ns: Int64?
    /// The stream's setup bytes, in base64.
    package var setup: String?

    package var size: FrameSize? {
        guard let width, let height else { return nil }
        return FrameSize(width: width, height: height)
    }

    package init(_ type: String, id: Int? = nil) {
        self.type = type
        self.id = id
    }
}

/// Controls of a camera, as reported by its sender.
package struct ToldControls: Sendable, Equatable, Codable {
    /// All controls, in the format of `multicam controls --json`.
    package var controls: [ControlsReport.Control]
    /// Number of the request that this report answers; `nil` if it isn't an answer.
    package var number: Int?
    /// Names of the controls that didn't accept the requested value.
    package var refused: [String]?

    /// Creates a report. Each parameter sets the property with the same name.
    package init(controls: [ControlsReport.Control], number: Int? = nil, refused: [String]? = nil) {
        (self.controls, self.number, self.refused) = (controls, number, refused)
    }
}

/// Reason why a media socket message is invalid, as a sentence for its sender.
package struct MediaLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// Creates an error from its message.
    package init(_ description: String) { self.description = description }
}
