internal import Media

/// Writes one movie to one disk. Packets that find no room in its queue are dropped by the rules of `PacketShedding`.
package typealias MovieFileWriter = FileWriter<SegmentedMovie>

extension MovieFileWriter {
    /// Queues a packet for the file, or drops it when the queue has no room.
    ///
    /// - Parameters:
    ///   - packet: The packet; its times are ticks of the stream's time scale since T0.
    ///   - stream: Index of its stream in the file, from 0.
    func append(_ packet: EncodedPacket, stream: Int) {
        let (isAudio, claim) = shared.withLock { shared in
            (
                shared.intake.streams[stream].isAudio,
                shared.intake.shedding[stream].claim(isKey: packet.isKey)
            )
        }
        let isTaken =
            claim.map { least in
                queue.offer(
                    .packet(packet, stream: stream), bytes: packet.bytes.count,
                    as: isAudio ? .audio : .frame(least: least))
            } ?? false
        shared.withLock { $0.intake.shedding[stream].note(packet, isTaken: isTaken) }
    }

    /// Requests that the movie continues in a new file. No file is created when this one has failed, or ended before the split.
    func split(_ part: MovieWriter.Part) {
        shared.withLock { $0.isSplitting = true }
        order(.split(part))
    }

    /// Discards all packets whose presentation time is at or after a time; the first call holds.
    ///
    /// - Parameter time: A time since T0 that no stream has reached yet.
    func conclude(at time: MediaTime) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? time }
        order(.conclude(time))
    }

    /// Number of packets dropped so far because the queue had no room, over all streams.
    package var shedCount: Int { shared.withLock { $0.intake.shedding.reduce(0) { $0 + $1.count } } }
}
