package import Control
package import Media

/// The fields of a message's header. Which of them a message has depends on its `type`; docs/reference/media-socket.md lists them.
package struct MediaHeader: Codable, Sendable {
    /// What the message is: `want`, `unwant`, `camera`, `microphone`, `frame`, `audio`, `remark`, `controls`, `gone` to a session;
    /// `hello`, `set`, `frame`, `audio`, `packet`, `status`, `event`, `events`, `error`, `end` from it.
    package var type: String
    /// The sender's number of a subscription or device.
    package var id: Int?
    package var text: String?

    // What is wanted.
    package var of: String?
    package var role: String?
    package var format: String?
    /// x, y, width, height in shares of the frame.
    package var part: [Double]?
    package var preview: Bool?
    /// Whether the program is encoded for this on standby, too.
    package var standby: Bool?
    /// Whether the events so far are wanted first.
    package var history: Bool?

    // Devices, frames and audio.
    package var name: String?
    package var pixel: String?
    package var width: Int?
    package var height: Int?
    /// Frames per second, such as `30` or `30000/1001`.
    package var rate: String?
    package var matrix: ColorDescription.Matrix?
    package var range: ColorDescription.Range?
    package var delay_ns: Int64?
    /// Who dates a device's frames or audio.
    package var clock: TimeOrigin?
    package var sample_rate: Int?
    package var channels: Int?
    package var at_ns: Int64?
    package var error_ns: Int64?
    package var sequence: Int64?
    package var key: Bool?
    package var first_sample: Int64?
    /// Offset and stride in bytes of each plane.
    package var planes: [[Int]]?
    /// Bytes in memory of their own, whose descriptor comes with the message.
    package var memory: Int?
    /// How many frames, slices or packets of the subscription were dropped so far.
    package var lost: Int?

    // Controls of a camera, as `multicam controls --json` prints them.
    package var controls: [ControlsReport.Control]?
    /// The number of a wish, and of its answer.
    package var number: Int?
    /// Values that are wished, by the controls' names.
    package var set: [String: Int64]?
    /// Names of controls that do not have what was wished.
    package var refused: [String]?

    // Packets of the program.
    package var codec: StreamParameters.Codec?
    package var decode_ns: Int64?
    package var duration_ns: Int64?
    package var priming: Int64?
    package var time_scale: Int64?
    /// The instant from which the packets' times count.
    package var t0_ns: Int64?
    /// Base64 of the stream's setup bytes.
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
