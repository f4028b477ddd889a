package import MulticamControl
package import MulticamMedia

/// A media socket message: a JSON header and binary data.
package struct MediaMessage: Sendable {
    /// The message header, a JSON object.
    package let header: SharedBytes
    /// The data after the header, which may be empty.
    package let bytes: SharedBytes

    /// Creates a media socket message.
    ///
    /// - Parameters:
    ///   - header: The message header, a JSON object in UTF-8.
    ///   - bytes: The data that follows the header.
    package init(header: SharedBytes, bytes: SharedBytes = SharedBytes(count: 0)) {
        self.header = header
        self.bytes = bytes
    }

    /// The bytes at the beginning of each message. The last of these bytes is the protocol version.
    static let magic: [UInt8] = Array("mcm1".utf8)
    /// Length in bytes of the prefix before the header. The prefix consists of the magic bytes, and the
    /// lengths of the header and the data as little-endian 32-bit integers.
    static let prefixLength = 12
    /// Maximum length of a message header in bytes.
    static let longestHeader = 1 << 16
    /// Maximum length in bytes of the data after a header. The maximum allows a raw frame of 4096 × 4096
    /// pixels at 4 bytes per pixel.
    static let longestBytes = 1 << 26

    static func prefix(header: Int, bytes: Int) -> [UInt8] {
        magic + little(header) + little(bytes)
    }

    private static func little(_ number: Int) -> [UInt8] {
        let value = UInt32(truncatingIfNeeded: number)
        return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Parses the header and data lengths in a message prefix. Returns `nil` if the prefix is invalid or a
    /// length exceeds its limit.
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

/// Fields of a message header. A message's `type` determines which fields are present. For a list of all
/// fields, see docs/reference/media-socket.md.
package struct MediaHeader: Codable, Sendable {
    /// Type of the message. Messages to a session have the types `want`, `unwant`, `camera`, `microphone`,
    /// `frame`, `audio`, `metadata`, `remark`, `controls`, and `gone`. Messages from a session have the types `hello`,
    /// `set`, `frame`, `audio`, `metadata`, `packet`, `status`, `event`, `events`, `error`, and `end`.
    package var type: String
    /// ID of a subscription or device, chosen by the sender.
    package var id: Int?
    package var text: String?

    // Fields that specify the requested data.
    package var of: String?
    package var role: String?
    package var format: String?
    /// The requested part of the frame: x, y, width, and height as fractions of the frame's size.
    package var part: [Double]?
    package var preview: Bool?
    /// Whether the program is also encoded for this subscription during standby.
    package var standby: Bool?
    /// Whether to send the past events before new events.
    package var history: Bool?

    // Fields for devices, frames, and audio.
    package var name: String?
    package var pixel: String?
    package var width: Int?
    package var height: Int?
    /// Frame rate in frames per second, such as `30` or `30000/1001`.
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
    /// Offset and stride of each plane of a raw frame, in bytes.
    package var planes: [[Int]]?
    /// Number of bytes in shared memory. The memory's descriptor is sent with the message.
    package var memory: Int?
    /// Number of frames, audio slices, or packets that have been dropped from the subscription so far.
    package var lost: Int?

    // Faces and codes in a frame.
    package var faces: Refusable<[DetectedFace]>?
    package var codes: Refusable<[DetectedCode]>?
    /// Time of the `frame` message that was searched, on the session clock.
    package var stamp_ns: Int64?

    // A camera's controls, in the format of `multicam controls --json`.
    package var controls: [ControlsReport.Control]?
    /// Number that identifies a control request and the response to it.
    package var number: Int?
    /// Requested control values, by control name.
    package var set: [String: Int64]?
    /// Names of the controls whose requested values were rejected.
    package var refused: [String]?

    // Fields for the program's packets.
    package var codec: StreamParameters.Codec?
    package var decode_ns: Int64?
    package var duration_ns: Int64?
    package var priming: Int64?
    package var time_scale: Int64?
    /// Zero point of the packets' timestamps, in nanoseconds on the session clock.
    package var t0_ns: Int64?
    /// The stream's setup bytes, encoded in base64.
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
package struct ReportedControls: Sendable, Equatable, Codable {
    /// All controls of the camera, in the format of `multicam controls --json`.
    package var controls: [ControlsReport.Control]
    /// Number of the control request to which this report responds; `nil` if the report isn't a response.
    package var number: Int?
    /// Names of the controls whose requested values were rejected.
    package var refused: [String]?

    /// Creates a report of a camera's controls. Each parameter sets the property with the same name.
    package init(controls: [ControlsReport.Control], number: Int? = nil, refused: [String]? = nil) {
        (self.controls, self.number, self.refused) = (controls, number, refused)
    }
}

/// Reason why a media socket message is invalid, as a sentence for its sender.
package struct MediaLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// Creates an error from a message for the sender.
    package init(_ description: String) { self.description = description }
}

extension MediaHeader {
    /// The faces and codes; `nil` if they are invalid. Missing lists are empty.
    package var analysis: FrameAnalysis? {
        get {
            guard let faces = faces.map(\.value) ?? [], let codes = codes.map(\.value) ?? [] else {
                return nil
            }
            return FrameAnalysis(faces: faces, codes: codes).checked
        }
        set {
            faces = newValue.map { Refusable($0.faces) }
            codes = newValue.map { Refusable($0.codes) }
        }
    }
}

/// A field of a message that may be invalid. Then the message can be refused, and the connection continues.
package struct Refusable<Value: Codable & Sendable>: Codable, Sendable {
    /// The value; `nil` if it is invalid.
    package let value: Value?

    package init(_ value: Value) { self.value = value }

    package init(from decoder: any Decoder) {
        do { value = try Value(from: decoder) } catch { value = nil }
    }

    package func encode(to encoder: any Encoder) throws { try value?.encode(to: encoder) }
}
