import Media

/// Makes of what a hardware encoder gives out what files need, and sees that it is that: each frame, in order, once.
///
/// A value: coded frames in, packets out.
struct CodedStream {
    private let subject: String
    private let ticksPerFrame: Int64
    private let filter: ColorTagFilter?
    /// Frames that are inside, by their times.
    private var expected: [Int64] = []
    private var next = 0
    /// Parameter sets that came without a frame: they belong to the next one.
    private var waiting: [UInt8] = []

    /// - Parameters:
    ///   - subject: The encoder, for messages.
    ///   - rate: Of the ticks.
    ///   - filter: Where the encoder does not say what its colours mean.
    init(_ subject: String, rate: FrameRate, filter: ColorTagFilter?) {
        self.subject = subject
        ticksPerFrame = rate.seconds
        self.filter = filter
    }

    /// A frame goes in.
    mutating func expect(_ presentation: Int64) { expected.append(presentation) }

    /// - Parameters:
    ///   - frames: As they came out.
    ///   - isLast: Whether nothing is inside afterwards.
    /// - Returns: A packet for each, in the same order.
    /// - Throws: When a frame is missing, comes twice or out of order, or cannot be read.
    mutating func take(_ frames: [CodedFrame], isLast: Bool = false) throws(EncodingError)
        -> [EncodedPacket]
    {
        var packets: [EncodedPacket] = []
        for frame in frames {
            let units = CodedUnits(frame.bytes)
            guard units.hasFrame else {
                // V4L2's drivers send them in a buffer of their own (V4L2_MPEG_VIDEO_HEADER_MODE_SEPARATE).
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

    /// Drivers count in microseconds, so that a time may come back a little off.
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
