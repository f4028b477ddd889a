import Media

/// Makes of what a hardware encoder gives out what files need, and sees that it is that: each picture, in order, once.
///
/// A value: coded pictures in, packets out.
struct CodedStream {
    private let subject: String
    private let ticksPerPicture: Int64
    private let filter: ColorTagFilter?
    /// Pictures that are inside, by their times.
    private var expected: [Int64] = []
    private var next = 0
    /// Parameter sets that came without a picture: they belong to the next one.
    private var waiting: [UInt8] = []

    /// - Parameters:
    ///   - subject: The encoder, for messages.
    ///   - rate: Of the ticks.
    ///   - filter: Where the encoder does not say what its colours mean.
    init(_ subject: String, rate: FrameRate, filter: ColorTagFilter?) {
        self.subject = subject
        ticksPerPicture = rate.seconds
        self.filter = filter
    }

    /// A picture goes in.
    mutating func expect(_ presentation: Int64) { expected.append(presentation) }

    /// - Parameters:
    ///   - pictures: As they came out.
    ///   - isLast: Whether nothing is inside afterwards.
    /// - Returns: A packet for each, in the same order.
    /// - Throws: When a picture is missing, comes twice or out of order, or cannot be read.
    mutating func take(_ pictures: [CodedPicture], isLast: Bool = false) throws(EncodingError)
        -> [EncodedPacket]
    {
        var packets: [EncodedPacket] = []
        for picture in pictures {
            let units = CodedUnits(picture.bytes)
            guard units.hasPicture else {
                // V4L2's drivers send them in a buffer of their own (V4L2_MPEG_VIDEO_HEADER_MODE_SEPARATE).
                waiting += units.parameterSets
                continue
            }
            try check(picture)
            var bytes = picture.bytes
            if !waiting.isEmpty {
                bytes = SharedBytes(waiting + withExtendedLifetime(bytes) { Array(bytes.bytes) })
                waiting = []
            }
            if let filter { bytes = try filter.apply(to: bytes) }
            packets.append(
                EncodedPacket(
                    bytes: bytes, presentation: expected[next], decode: expected[next],
                    duration: ticksPerPicture, isKey: units.isKey))
            next += 1
        }
        if isLast, next < expected.count {
            throw broken("it kept back \(expected.count - next) pictures in the end")
        }
        if next > 256 {
            expected.removeFirst(next)
            next = 0
        }
        return packets
    }

    /// Drivers count in microseconds, so that a time may come back a little off.
    private func check(_ picture: CodedPicture) throws(EncodingError) {
        guard next < expected.count else { throw broken("it gave a picture that it was not given") }
        let wanted = expected[next]
        let distance = picture.presentation.subtractingReportingOverflow(wanted)
        guard !distance.overflow, abs(distance.partialValue) * 2 < ticksPerPicture else {
            let isEarlier = picture.presentation < wanted
            throw broken(
                isEarlier
                    ? "its pictures came out of order" : "it left out a picture, or gave them out of order")
        }
    }

    private func broken(_ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "encoding", reason: reason)
    }
}
