public import Media

/// Hands the program's encoded packets to the calling program: H.264 and AAC, as the recording's file gets them.
///
/// The first packet is of a key frame, at most some seconds old, so that a receiver can begin at once. The handler runs on a
/// thread of its own. Packets for which it is too slow are dropped and counted, of H.264 all up to the next key frame; the
/// recording is not affected. There are packets while a session with a program records or runs without files; on standby only where
/// a tap asks for them, since an encoder works for it then.
public final class PacketTap: Sendable {
    /// One encoded frame or slice of audio.
    public struct Packet: Sendable {
        /// Codec, setup bytes, size, rate and audio format of its stream. A recording begins with others only.
        public let parameters: StreamParameters
        /// The instant on the session clock from which the times count: T0, or when the stream on standby began.
        public let start: ClockTime
        /// The encoded bytes: H.264 as in Annex B or with lengths, as `parameters.setup` is; AAC without ADTS headers.
        public let bytes: SharedBytes
        /// When it is shown or heard, since `start`; negative while the audio encoder is primed.
        public let presentedAt: MediaTime
        /// When it is decoded, since `start`; never after `presentedAt`, except for rounding.
        public let decodedAt: MediaTime
        /// How long it is shown or heard, in nanoseconds.
        public let duration: Nanoseconds
        /// Whether it can be decoded without earlier packets.
        public let isKey: Bool

        /// Whether it is of the program's frames rather than of its audio.
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
        /// Whether frames are dropped until the next key frame.
        var awaitsKey = true
    }

    /// Whether the session's end does not wait for the handler, which may wait for another process.
    package let mayStall: Bool
    /// Whether it gets packets on standby, too.
    package let includesStandby: Bool
    private let queue: BoundedQueue<Packet>
    private let state = ConditionLock(State())
    private let handler: @Sendable (Packet) -> Void

    /// Creates a tap that calls `handler` for each packet, once a session has it.
    ///
    /// - Parameters:
    ///   - capacity: How many packets may wait for the handler, at least 1; about eighty are a second.
    ///   - includesStandby: Whether the program is encoded for the tap on standby, too.
    ///   - handler: Called for each packet, one at a time, in decoding order of each stream, on the tap's own thread.
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
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of packets dropped because the handler was too slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Queues a packet for the handler, or drops and counts it. Never blocks.
    package func offer(_ packet: Packet) {
        state.withLock { state in
            if packet.isVideo, state.awaitsKey, !packet.isKey {
                state.dropped += 1
            } else if queue.offer(packet) {
                if packet.isVideo { state.awaitsKey = false }
            } else {
                state.dropped += 1
                if packet.isVideo { state.awaitsKey = true }
            }
        }
    }

    /// Handles packets on the tap's thread until `finish`.
    package func run() {
        while let packet = queue.next() { handler(packet) }
    }

    /// Ends the tap: no packet follows.
    package func finish() { queue.finish() }
}
