internal import MulticamContainers
internal import MulticamMedia

/// Writes one movie to one disk. Packets that don't fit in the writer's queue are dropped according to
/// `PacketShedding`.
package typealias MovieFileWriter = FileWriter<SegmentedMovie>

extension MovieFileWriter {
    /// Enqueues a packet for the file, or drops it if the queue is full.
    ///
    /// - Parameters:
    ///   - packet: The packet, with timestamps in ticks of the stream's time scale, relative to T0.
    ///   - stream: Index of the packet's stream in the file, starting at 0.
    func append(_ packet: EncodedPacket, stream: Int) {
        let (isAudio, claim, silence) = shared.withLock { shared in
            (
                shared.intake.streams[stream].isAudio,
                shared.intake.shedding[stream].requiredRoom(isKey: packet.isKey),
                shared.intake.silence[stream]
            )
        }
        let isTaken =
            claim.map { least in
                queue.offer(
                    .packet(packet, after: silence, stream: stream), bytes: packet.bytes.count,
                    as: isAudio ? .audio : .frame(least: least))
            } ?? false
        shared.withLock { shared in
            shared.intake.shedding[stream].record(packet, isAccepted: isTaken)
            if isTaken {
                shared.intake.silence[stream] = AudioFateRun()
            } else {
                shared.intake.silence[stream].append(packet.samples.superseded(by: .disk))
                shared.result.ledgers[stream].dropped.add(packet.fate)
            }
        }
    }

    /// Ends a stream. No further packets of this stream are accepted.
    func finishStream(_ stream: Int) {
        let silence = shared.withLock { shared in
            defer { shared.intake.silence[stream] = AudioFateRun() }
            return shared.intake.silence[stream]
        }
        enqueueCommand(.finishStream(stream, after: silence))
    }

    /// Requests that the movie continue in a new file. No file is created if the current file has failed, or
    /// if it ended before the split.
    func split(_ part: MovieWriter.Part) {
        shared.withLock { $0.isSplitting = true }
        enqueueCommand(.split(part))
    }

    /// Discards all packets whose presentation time is at or after `time`. Later calls are ignored.
    ///
    /// - Parameter time: A time relative to T0 that no stream has reached yet.
    func conclude(at time: MediaTime) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? time }
        enqueueCommand(.conclude(time))
    }

    /// Number of packets, in all streams, that were dropped because the queue was full.
    package var shedCount: Int { shared.withLock { $0.intake.shedding.reduce(0) { $0 + $1.count } } }
}
