internal import Media

/// Holds the packets of a video encoder until all frames that are shown before them have come, so that a file never
/// has a hole where an encoder failed.
///
/// A packet that cannot belong to its stream counts as a failure of the encoder: one without bytes, for a tick that
/// the encoder was not given or has returned before, or with times that do not rise.
struct VideoPackets {
    private let name: String
    /// Duration of each frame, in ticks of the file's time scale.
    private let duration: Int64
    private var held: [EncodedPacket] = []
    private var heldTicks: Set<Int64> = []
    /// Decode time of the last packet that went to the file, in ticks of its time scale.
    private var writtenDecode: Int64?

    /// Most frames that an encoder holds back to change their order.
    private static let mostHeld: Int64 = 32
    /// Most frames that an encoder holds back to look ahead.
    private static let mostInside: Int64 = 256

    /// Creates an empty holder.
    ///
    /// - Parameters:
    ///   - name: Name of the file, for messages.
    ///   - rate: Rate of the stream; its time scale is that of the packets.
    init(of name: String, rate: FrameRate) {
        self.name = name
        duration = rate.seconds
    }

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - packet: The encoder's next packet.
    ///   - ticks: The ticks that the encoder was given and that are not in the file.
    /// - Returns: The packets that can go to the file now, and the last tick that is in the file then; `nil` while a
    ///   packet is missing.
    /// - Throws: `EncodingError` when the packet cannot belong to this stream.
    mutating func add(
        _ packet: EncodedPacket, of ticks: Range<Int64>
    ) throws(EncodingError) -> (packets: [EncodedPacket], through: Int64)? {
        if let fault = fault(of: packet, ticks) { throw error(fault) }
        held.append(packet)
        heldTicks.insert(packet.presentation / duration)
        let highest = heldTicks.reduce(ticks.lowerBound) { max($0, $1) }
        guard Int64(held.count) > highest - ticks.lowerBound else { return nil }
        defer { removeAll() }
        writtenDecode = packet.decode
        return (held, highest)
    }

    /// Checks that the encoder does not hold back too many ticks.
    ///
    /// - Parameters:
    ///   - ticks: The ticks that the encoder was given and that are not in the file, after `add`.
    ///   - isLast: Whether the encoder has returned everything.
    /// - Throws: `EncodingError` when frames are missing.
    func check(_ ticks: Range<Int64>, isLast: Bool) throws(EncodingError) {
        let missing = Int64(ticks.count) - Int64(held.count)
        let isMissing = isLast ? !ticks.isEmpty : held.count > Self.mostHeld || missing > Self.mostInside
        guard isMissing else { return }
        throw error("it did not give out the frame of tick \(ticks.lowerBound)")
    }

    /// Drops the held packets, whose encoder has failed.
    mutating func removeAll() {
        held = []
        heldTicks = []
    }

    private func fault(of packet: EncodedPacket, _ ticks: Range<Int64>) -> String? {
        if packet.bytes.count == 0 { return "it gave out a packet without bytes" }
        let (tick, rest) = packet.presentation.quotientAndRemainder(dividingBy: duration)
        guard rest == 0, ticks.contains(tick), !heldTicks.contains(tick) else {
            return "it gave out a frame for the time \(packet.presentation), which it was not given"
        }
        if packet.duration != duration { return "it gave out a frame of \(packet.duration) ticks" }
        let earliest = held.last?.decode ?? writtenDecode ?? (ticks.lowerBound - Self.mostHeld) * duration
        guard packet.decode > earliest, packet.decode <= packet.presentation else {
            return "it gave out a frame to be decoded at \(packet.decode), shown at \(packet.presentation)"
        }
        return nil
    }

    private func error(_ reason: String) -> EncodingError {
        EncodingError(subject: name, operation: "encoding", reason: reason)
    }
}
