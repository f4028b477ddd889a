import Media

/// Turns a hardware encoder's output into packets for files, and checks that each frame comes out once and in order.
///
/// A value: coded frames in, packets out.
struct CodedStream {
    private let subject: String
    private let ticksPerFrame: Int64
    private let filter: ColorTagFilter?
    /// Presentation times of the frames that went in, from `next` on those that are still inside.
    private var expected: [Int64] = []
    private var next = 0
    /// Parameter sets that came without a frame; they are put before the next frame.
    private var waiting: [UInt8] = []

    /// Makes the check for a stream.
    ///
    /// - Parameters:
    ///   - subject: The encoder, for messages.
    ///   - rate: Frame rate of the ticks.
    ///   - filter: Writes the color description into packets whose encoder does not; else `nil`.
    init(_ subject: String, rate: FrameRate, filter: ColorTagFilter?) {
        self.subject = subject
        ticksPerFrame = rate.seconds
        self.filter = filter
    }

    /// Notes that a frame with this presentation time went in.
    mutating func expect(_ presentation: Int64) { expected.append(presentation) }

    /// Checks coded frames and makes packets of them.
    ///
    /// - Parameters:
    ///   - frames: The encoder's output, in order.
    ///   - isLast: Whether nothing may be inside afterwards.
    /// - Returns: A packet for each frame, in the same order.
    /// - Throws: When a frame is missing, comes twice or out of order, or cannot be read.
    mutating func take(_ frames: [CodedFrame], isLast: Bool = false) throws(EncodingError)
        -> [EncodedPacket]
    {
        var packets: [EncodedPacket] = []
        for frame in frames {
            let units = CodedUnits(frame.bytes)
            guard units.hasFrame else {
                // V4L2 drivers send parameter sets in a buffer of their own (V4L2_MPEG_VIDEO_HEADER_MODE_SEPARATE).
                waiting += units.parameterSets
                continue
            }
            try check(frame)
            var bytes = frame.bytes
            if !waiting.isEmpty {
                bytes = SharedBytes(waiting + withExtendedLifetime(bytes) { Array(bytes.bytes) })
                waiting = []
            }
            if let filter { bytes = try filter.apply(to: bytes) }
            packets.append(
                EncodedPacket(
                    bytes: bytes, presentation: expected[next], decode: expected[next],
                    duration: ticksPerFrame, isKey: units.isKey))
            next += 1
        }
        if isLast, next < expected.count {
            throw broken("it kept back \(expected.count - next) frames in the end")
        }
        if next > 256 {
            expected.removeFirst(next)
            next = 0
        }
        return packets
    }

    /// Checks a frame's time, to half a tick: drivers count in microseconds, so a time may come back a little off.
    private func check(_ frame: CodedFrame) throws(EncodingError) {
        guard next < expected.count else { throw broken("it gave a frame that it was not given") }
        let wanted = expected[next]
        let distance = frame.presentation.subtractingReportingOverflow(wanted)
        guard !distance.overflow, abs(distance.partialValue) * 2 < ticksPerFrame else {
            let isEarlier = frame.presentation < wanted
            throw broken(
                isEarlier
                    ? "its frames came out of order" : "it left out a frame, or gave them out of order")
        }
    }

    private func broken(_ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "encoding", reason: reason)
    }
}
