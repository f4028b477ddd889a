/// Request for a live output, sent to the live process.
package struct LiveRequest: Sendable, Equatable, Codable {
    /// The live output's name.
    package var name: String
    /// The address of the destination, including secrets.
    package var url: Secret
    /// Source of the live output: `program`, or a camera's role.
    package var of: String
    /// Settings for a separate encoder; `nil` to send the packets that are encoded for the recording. For a
    /// virtual camera, these settings specify the size and the rate.
    package var video: LiveVideo?
    /// Bearer token for a WHIP server; `nil` if the server doesn't require a token.
    package var token: Secret?
    /// Whether the program is also encoded for this live output during standby.
    package var standby: Bool

    /// Creates a live output request; each parameter sets the property of the same name.
    package init(
        name: String, url: Secret, of: String = "program", video: LiveVideo? = nil, token: Secret? = nil,
        standby: Bool = false
    ) {
        (self.name, self.url, self.of) = (name, url, of)
        (self.video, self.token, self.standby) = (video, token, standby)
    }
}

/// Size, rate, and bit rate of a live output's separate encoder, used in requests and reports.
package struct LiveVideo: Sendable, Hashable, Codable {
    /// Width in pixels, even; `nil` for the source's width.
    package var width: Int?
    /// Height in pixels, even; `nil` for the source's height.
    package var height: Int?
    /// Maximum frame rate, such as `30` or `30000/1001`; `nil` for the source's rate.
    package var rate: String?
    /// Bits per second; `nil` for a virtual camera, which doesn't use an encoder.
    package var bitrate: Int?

    /// Creates video settings; each parameter sets the property of the same name.
    package init(size: FrameSize?, rate: FrameRate?, bitrate: Int?) {
        (width, height) = (size?.width, size?.height)
        self.rate = rate.map { $0.seconds == 1 ? "\($0.frames)" : "\($0.frames)/\($0.seconds)" }
        self.bitrate = bitrate
    }

    /// Width and height in pixels; `nil` if either is missing.
    package var size: FrameSize? {
        guard let width, let height else { return nil }
        return FrameSize(width: width, height: height)
    }
}

/// Command from the recorder to the live process, sent as one line of JSON. Each command sets exactly one of
/// the properties `publish` and `unpublish`.
package struct LiveCommand: Sendable, Equatable, Codable {
    /// Live output to start, or to continue with new settings.
    package var publish: LiveRequest?
    /// Name of the live output to end.
    package var unpublish: String?

    /// Creates the command to start a live output.
    package init(publish: LiveRequest) { self.publish = publish }

    /// Creates the command to end a live output.
    package init(unpublish: String) { self.unpublish = unpublish }
}

/// Status of a live output, sent by the live process to the recorder. Each report is one line of JSON, sent
/// on each change and once per second.
package struct LiveReport: Sendable, Equatable, Codable {
    /// State of a live output.
    package enum State: String, Sendable, Codable {
        /// The live output is waiting for data to send, or for the server's response.
        case connecting
        /// The live output is sending data.
        case connected
        /// The connection was lost; the next connection attempt is at `retry_ns`.
        case waiting
        /// A key, name, certificate, or address is wrong; the next connection attempt is one minute later, at
        /// `retry_ns`.
        case refused
        /// The live output was ended.
        case ended
    }

    /// The live output's name.
    package var live_output: String
    /// Current state of the live output.
    package var state: State
    /// Time of this report in nanoseconds on CLOCK_MONOTONIC.
    package var at_ns: Int64
    /// Reason for the state as one sentence without secrets; `nil` if there is nothing to report.
    package var text: String?
    /// Time of the next connection attempt, in nanoseconds on CLOCK_MONOTONIC; `nil` if no attempt is
    /// scheduled.
    package var retry_ns: Int64?
    /// Number of video frames sent since the process started. For a virtual microphone, the property counts
    /// audio blocks.
    package var sent_frames: Int64 = 0
    /// Number of video frames dropped since the process started, because the network or the receiver couldn't
    /// keep up.
    package var dropped_frames: Int64 = 0
    /// Bits per second sent during the last second.
    package var bitrate: Int64 = 0
    /// Time that the oldest queued item has been waiting to be sent, in nanoseconds.
    package var queue_ns: Int64 = 0
    /// Network round-trip time in nanoseconds; `nil` if the protocol doesn't report it.
    package var rtt_ns: Int64?
    /// Number of packets that were lost before any retransmission; `nil` if the protocol doesn't report it.
    package var lost_packets: Int64?
    /// Current output settings of the separate encoder; `nil` if the live output doesn't use a separate
    /// encoder.
    package var encoder: LiveVideo?

    /// Creates a report for a live output that hasn't sent any data yet.
    package init(live_output: String, state: State, at_ns: Int64) {
        (self.live_output, self.state, self.at_ns) = (live_output, state, at_ns)
    }
}
