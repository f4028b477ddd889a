public import MulticamMedia

/// Passes the encoded packets of the program to the calling program. The H.264 and AAC packets are identical
/// to the packets in the recording.
///
/// The first packet contains a key frame that is at most a few seconds old, so that a receiver can start
/// immediately. The handler runs on a separate thread. If the handler is too slow, packets are dropped and
/// counted; for H.264, all packets up to the next key frame are dropped. The recording isn't affected.
/// Packets are available while a session with a program is recording or running without files. On standby,
/// the program is encoded only if a tap requests packets.
public final class PacketTap: Sendable {
    /// One encoded frame or slice of audio.
    public struct Packet: Sendable {
        /// Codec, setup data, frame size, frame rate, and audio format of the packet's stream. The parameters
        /// change only when a recording starts.
        public let parameters: StreamParameters
        /// Time 0 of the packet's times, on the session's clock: T0 of the recording, or the start of the
        /// stream on standby.
        public let start: ClockTime
        /// The encoded bytes. H.264 has Annex B start codes or length prefixes, in the same format as
        /// `parameters.setup`. AAC doesn't have ADTS headers.
        public let bytes: SharedBytes
        /// Presentation time relative to `start`; negative during audio encoder priming.
        public let presentedAt: MediaTime
        /// Decoding time relative to `start`. Except for rounding errors, it isn't later than `presentedAt`.
        public let decodedAt: MediaTime
        /// Presentation duration of the packet.
        public let duration: Nanoseconds
        /// Whether the packet can be decoded without earlier packets.
        public let isKey: Bool

        /// Whether the packet contains the program's video rather than audio.
        public var isVideo: Bool { parameters.audio == nil }

        package init(_ packet: EncodedPacket, parameters: StreamParameters, start: ClockTime) {
            self.parameters = parameters
            self.start = start
            bytes = packet.bytes
            let scale = parameters.timeScale
            func time(_ ticks: Int64) -> Int64 { Nanoseconds.duration(of: ticks, perSecond: scale).count }
            presentedAt = MediaTime(nanoseconds: time(packet.presentation))
            decodedAt = MediaTime(nanoseconds: time(packet.decode))
            duration = Nanoseconds(time(packet.duration))
            isKey = packet.isKey
        }
    }

    private struct State {
        var dropped = 0
        /// Whether H.264 packets are dropped until the next key frame.
        var awaitsKey = true
    }

    /// Whether the session doesn't wait for the handler when it ends, because the handler itself may be
    /// waiting for another process.
    package let mayStall: Bool
    /// Whether the tap also receives packets on standby.
    package let includesStandby: Bool
    /// Whether the tap was attached to a session.
    package let attachment = TapAttachment()
    private let queue: BoundedQueue<Packet>
    private let state = ConditionLock(State())
    private let handler: @Sendable (Packet) -> Void

    /// Creates a tap that calls `handler` for each packet after it has been attached to a session.
    ///
    /// - Parameters:
    ///   - capacity: Maximum number of packets queued for the handler; values below 1 count as 1. There are about 80 packets
    ///     per second.
    ///   - includesStandby: Whether the program is also encoded on standby, so that the tap receives packets.
    ///   - handler: Called for each packet, one at a time, in the decoding order of each stream, on the tap's
    ///     own thread.
    public convenience init(
        capacity: Int = 400, includesStandby: Bool = false, handler: @escaping @Sendable (Packet) -> Void
    ) {
        self.init(capacity: capacity, includesStandby: includesStandby, mayStall: false, handler: handler)
    }

    package init(
        capacity: Int, includesStandby: Bool, mayStall: Bool, handler: @escaping @Sendable (Packet) -> Void
    ) {
        self.mayStall = mayStall
        self.includesStandby = includesStandby
        self.handler = handler
        queue = BoundedQueue(capacity: max(1, capacity))
    }

    /// Number of packets dropped because the handler was too slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Queues a packet for the handler. If the queue is full, the packet is dropped and counted. Never
    /// blocks.
    package func offer(_ packet: Packet) {
        state.withLock { state in
            if packet.isVideo, state.awaitsKey, !packet.isKey {
                state.dropped += 1
            } else if queue.tryEnqueue(packet) {
                if packet.isVideo { state.awaitsKey = false }
            } else {
                state.dropped += 1
                if packet.isVideo { state.awaitsKey = true }
            }
        }
    }

    /// Passes packets to the handler on the tap's thread until `finish` is called.
    package func run() {
        while let packet = queue.dequeue() { handler(packet) }
    }

    /// Ends the tap. No more packets are accepted.
    package func finish() { queue.finish() }
}

/// The packets of the program since its last key frame. A tap that is attached between two key frames first
/// receives these packets. Their total size is limited.
struct ProgramPacketHistory {
    private var packets: [PacketTap.Packet] = []
    private var byteCount = 0
    /// Whether the packets were encoded on standby.
    private(set) var isOfStandby = false

    /// Maximum total size of the packets in bytes, which is enough for a few seconds of any program. If the
    /// limit is exceeded, packets are discarded until the next key frame.
    private static let mostBytes = 16 << 20

    /// The packets since the last key frame, starting with the key frame; empty before the first key frame.
    var sinceKey: [PacketTap.Packet] { packets }

    mutating func add(_ packet: PacketTap.Packet, isOfStandby: Bool) {
        self.isOfStandby = isOfStandby
        if packet.isVideo, packet.isKey {
            packets = []
            byteCount = 0
        } else if packets.isEmpty {
            return
        }
        packets.append(packet)
        byteCount += packet.bytes.count
        if byteCount > Self.mostBytes { clear() }
    }

    mutating func clear() {
        packets = []
        byteCount = 0
    }
}
