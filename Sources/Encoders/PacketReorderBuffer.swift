internal import MulticamMedia

/// Holds the packets of a video encoder until all frames displayed before them have arrived, so that an
/// encoder failure never leaves a gap in a file.
///
/// An invalid packet counts as an encoder failure. A packet is invalid if it is empty, if its tick was not
/// passed to the encoder, if the encoder has already returned a packet for its tick, or if its time stamps
/// don't increase.
struct PacketReorderBuffer {
    private let name: String
    /// Duration of each frame, in ticks of the file's time scale.
    private let duration: Int64
    private var bufferedPackets: [EncodedPacket] = []
    private var bufferedTicks: Set<Int64> = []
    /// Decode time of the last packet written to the file, in ticks of the file's time scale.
    private var writtenDecode: Int64?

    /// Maximum number of frames held back for reordering.
    private static let maxReorderedFrames: Int64 = 32
    /// Maximum number of frames that an encoder holds back for lookahead.
    private static let maxDelayedFrames: Int64 = 256

    /// Creates an empty packet buffer.
    ///
    /// - Parameters:
    ///   - name: Name of the file, for messages.
    ///   - rate: Rate of the stream, which defines the time scale of the packets.
    init(of name: String, rate: FrameRate) {
        self.name = name
        duration = rate.seconds
    }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - packet: The encoder's next packet.
    ///   - ticks: The ticks that the encoder received and that aren't in the file.
    /// - Returns: The packets that can be written to the file now, and the last tick in the file after they
    ///   are written; `nil` while a packet is missing.
    /// - Throws: `EncodingError` when the packet is invalid in this stream.
    mutating func add(
        _ packet: EncodedPacket, of ticks: Range<Int64>
    ) throws(EncodingError) -> (packets: [EncodedPacket], through: Int64)? {
        if let fault = fault(of: packet, ticks) { throw encodingError(fault) }
        bufferedPackets.append(packet)
        bufferedTicks.insert(packet.presentation / duration)
        let highest = bufferedTicks.reduce(ticks.lowerBound) { max($0, $1) }
        guard Int64(bufferedPackets.count) > highest - ticks.lowerBound else { return nil }
        defer { removeAll() }
        writtenDecode = packet.decode
        return (bufferedPackets, highest)
    }

    /// Checks that the encoder doesn't hold back too many ticks.
    ///
    /// - Parameters:
    ///   - ticks: The ticks that the encoder received and that aren't in the file, after `add`.
    ///   - isLast: Whether the encoder has returned all packets.
    /// - Throws: `EncodingError` when frames are missing.
    func check(_ ticks: Range<Int64>, isLast: Bool) throws(EncodingError) {
        let missing = Int64(ticks.count) - Int64(bufferedPackets.count)
        let isMissing =
            isLast
            ? !ticks.isEmpty
            : bufferedPackets.count > Self.maxReorderedFrames || missing > Self.maxDelayedFrames
        guard isMissing else { return }
        throw encodingError("the encoder did not return the frame for tick \(ticks.lowerBound)")
    }

    /// Drops the buffered packets because their encoder has failed.
    mutating func removeAll() {
        bufferedPackets = []
        bufferedTicks = []
    }

    private func fault(of packet: EncodedPacket, _ ticks: Range<Int64>) -> String? {
        if packet.bytes.count == 0 { return "the encoder returned an empty packet" }
        let (tick, rest) = packet.presentation.quotientAndRemainder(dividingBy: duration)
        guard rest == 0, ticks.contains(tick), !bufferedTicks.contains(tick) else {
            return "the encoder returned a frame with the unexpected time \(packet.presentation)"
        }
        if packet.duration != duration {
            return "the encoder returned a frame with the wrong duration \(packet.duration)"
        }
        let earliest =
            bufferedPackets.last?.decode ?? writtenDecode ?? (ticks.lowerBound - Self.maxReorderedFrames)
            * duration
        guard packet.decode > earliest, packet.decode <= packet.presentation else {
            return
                "the encoder returned a frame with decoding time \(packet.decode) and presentation time \(packet.presentation)"
        }
        return nil
    }

    private func encodingError(_ reason: String) -> EncodingError {
        EncodingError(subject: name, operation: "encoding", reason: reason)
    }
}
