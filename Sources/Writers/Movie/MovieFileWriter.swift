internal import Media

/// One movie's file on one disk. What finds no room in its queue is left out by the rules of `PacketShedding`.
package typealias MovieFileWriter = FileWriter<SegmentedMovie>

extension MovieFileWriter {
    /// Takes a packet, or leaves it out where there is no room for it.
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

    /// Goes on in a new file. It is not made when this one has failed, or has ended before it.
    func split(_ part: MovieWriter.Part) {
        shared.withLock { $0.isSplitting = true }
        order(.split(part))
    }

    /// Takes nothing more that is shown from a time on, which no stream has come to.
    func conclude(at time: MediaTime) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? time }
        order(.conclude(time))
    }

    /// Packets left out so far.
    package var shedCount: Int { shared.withLock { $0.intake.shedding.reduce(0) { $0 + $1.count } } }
}
