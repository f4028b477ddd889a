internal import Control
internal import Media

/// The fields of a message's header. Which of them a message has depends on its `type`; docs/reference/media-socket.md lists them.
struct MediaHeader: Codable, Sendable {
    /// What the message is: `want`, `unwant`, `camera`, `microphone`, `frame`, `audio`, `remark`, `controls`, `gone` to a session;
    /// `hello`, `set`, `frame`, `audio`, `packet`, `status`, `event`, `events`, `error`, `end` from it.
    var type: String
    /// The sender's number of a subscription or device.
    var id: Int?
    var text: String?

    // What is wanted.
    var of: String?
    var role: String?
    var format: String?
    /// x, y, width, height in shares of the frame.
    var part: [Double]?
    var preview: Bool?
    /// Whether the program is encoded for this on standby, too.
    var standby: Bool?
    /// Whether the events so far are wanted first.
    var history: Bool?

    // Devices, frames and audio.
    var name: String?
    var pixel: String?
    var width: Int?
    var height: Int?
    /// Frames per second, such as `30` or `30000/1001`.
    var rate: String?
    var matrix: ColorDescription.Matrix?
    var range: ColorDescription.Range?
    var delay_ns: Int64?
    /// Who dates a device's frames or audio.
    var clock: TimeOrigin?
    var sample_rate: Int?
    var channels: Int?
    var at_ns: Int64?
    var error_ns: Int64?
    var sequence: Int64?
    var key: Bool?
    var first_sample: Int64?
    /// Offset and stride in bytes of each plane.
    var planes: [[Int]]?
    /// Bytes in memory of their own, whose descriptor comes with the message.
    var memory: Int?
    /// How many frames, slices or packets of the subscription were dropped so far.
    var lost: Int?

    // Controls of a camera, as `multicam controls --json` prints them.
    var controls: [ControlsReport.Control]?
    /// The number of a wish, and of its answer.
    var number: Int?
    /// Values that are wished, by the controls' names.
    var set: [String: Int64]?
    /// Names of controls that do not have what was wished.
    var refused: [String]?

    // Packets of the program.
    var codec: StreamParameters.Codec?
    var decode_ns: Int64?
    var duration_ns: Int64?
    var priming: Int64?
    var time_scale: Int64?
    /// The instant from which the packets' times count.
    var t0_ns: Int64?
    /// Base64 of the stream's setup bytes.
    var setup: String?

    var size: FrameSize? {
        guard let width, let height else { return nil }
        return FrameSize(width: width, height: height)
    }

    init(_ type: String, id: Int? = nil) {
        self.type = type
        self.id = id
    }
}
