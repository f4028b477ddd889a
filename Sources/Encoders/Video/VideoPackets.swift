internal import Media

/// Packets of a frame encoder on their way to the file: held until all frames that are shown before them are there, so that a
/// file never has a hole where an encoder failed.
///
/// A packet that cannot be of its stream is the encoder's failure, as an error is: one without bytes, for a tick that it was not
/// given or has given out before, or with times that do not rise.
struct VideoPackets {
    private let name: String
    /// Ticks of the file's time scale that each frame is shown.
    private let duration: Int64
    private var held: [EncodedPacket] = []
    private var heldTicks: Set<Int64> = []
    /// Of the last packet that went to the file.
    private var writtenDecode: Int64?

    /// Encoders hold back fewer frames than that to change their order.
    private static let mostHeld: Int64 = 32
    /// And fewer than that to look ahead.
    private static let mostInside: Int64 = 256

    /// - Parameters:
    ///   - name: The file's, for messages.
    ///   - rate: The stream's; its time scale is that of the packets.
    init(of name: String, rate: FrameRate) {
        self.name = name
        duration = rate.seconds
    }

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - packet: The encoder's next one.
    ///   - ticks: That the encoder was given and that are not in the file.
    /// - Returns: The packets that can go to the file now and the last tick that is in it then, or `nil` while one is missing.
    /// - Throws: When the packet cannot be of this stream.
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

    /// Looks whether too many of the ticks have not come out.
    ///
    /// - Parameters:
    ///   - ticks: As of `add`, after it.
    ///   - isLast: Whether the encoder has given out all it had.
    /// - Throws: When frames are missing.
    func check(_ ticks: Range<Int64>, isLast: Bool) throws(EncodingError) {
        let missing = Int64(ticks.count) - Int64(held.count)
        let isMissing = isLast ? !ticks.isEmpty : held.count > Self.mostHeld || missing > Self.mostInside
        guard isMissing else { return }
        throw error("it did not give out the frame of tick \(ticks.lowerBound)")
    }

    /// Forgets what waits, where its encoder has failed.
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
