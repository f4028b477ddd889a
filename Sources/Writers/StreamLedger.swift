package import MulticamMedia

/// Numbers of frames and audio samples of one stream, grouped by their fate.
package struct ContentCounts: Sendable, Equatable {
    /// Numbers of frames by fate; zero for audio. Hidden frames aren't counted.
    package private(set) var frames = FateCounts()
    /// Numbers of samples per channel by fate; zero for video.
    package private(set) var samples = SampleCounts()

    /// Creates counts that are all zero.
    package init() {}

    /// Counts a frame, unless it is hidden (`nil`).
    mutating func add(_ fate: Fate?) { if let fate { frames.add(fate) } }

    /// Counts audio samples by their fate.
    mutating func add(_ fates: AudioFateRun) { samples.add(fates) }

    /// Adds the content of a packet.
    mutating func add(_ packet: EncodedPacket) {
        add(packet.fate)
        add(packet.samples)
    }

    /// Adds the counts of another value.
    mutating func add(_ other: Self) {
        frames.add(other.frames)
        samples.add(other.samples)
    }
}

/// Counts the frames and samples that one stream's file on one disk has received, and whether they were
/// written or dropped.
package struct StreamLedger: Sendable, Equatable {
    /// Counts of the content that is in the file.
    package var written = ContentCounts()
    /// Counts of the content that isn't in the file because the queue was full, writing failed, or the file
    /// ended early.
    package var dropped = ContentCounts()

    /// Creates an empty ledger.
    package init() {}

    /// Adds the counts of another ledger.
    mutating func add(_ other: Self) {
        written.add(other.written)
        dropped.add(other.dropped)
    }
}

/// Ledger of one stream of a movie file. Packets are added to the ledger in the order of the file, before
/// they are written.
struct PacketLedger {
    private struct Entry {
        let fate: Fate?
        let samples: AudioFateRun
    }

    private var written = ContentCounts()
    private var writtenCount = 0
    /// The packets that had not been written when the ledger was last updated.
    private var pending: [Entry] = []
    /// Samples of silence after the last packet.
    private var silence = AudioFateRun()

    /// Maximum number of packets that may be pending before they are counted.
    private static let maxPending = 256

    /// Appends a packet to the ledger.
    ///
    /// - Parameters:
    ///   - packet: The packet to append.
    ///   - samples: The fates of the packet's samples that the file plays.
    ///   - count: Number of packets in the file before the new packet is appended.
    mutating func append(_ packet: EncodedPacket, samples: AudioFateRun, written count: Int) {
        if pending.count >= Self.maxPending { settle(through: count) }
        var all = silence
        all.append(samples)
        silence = AudioFateRun()
        pending.append(Entry(fate: packet.fate, samples: all))
    }

    /// Appends samples without a packet. The file plays silence until its next packet or until its end.
    mutating func appendSilence(_ fates: AudioFateRun) { silence.append(fates) }

    /// Returns the ledger of a closed file.
    ///
    /// - Parameters:
    ///   - count: Number of packets in the file.
    ///   - isFinished: Whether the file was finished. A finished file includes the silence after the last
    ///     packet.
    /// - Returns: The ledger. Packets that aren't in the file count as dropped.
    func closed(written count: Int, isFinished: Bool) -> StreamLedger {
        var settled = self
        settled.settle(through: count)
        var ledger = StreamLedger()
        ledger.written = settled.written
        for entry in settled.pending {
            ledger.dropped.add(entry.fate)
            ledger.dropped.add(entry.samples)
        }
        if isFinished { ledger.written.add(silence) } else { ledger.dropped.add(silence) }
        return ledger
    }

    private mutating func settle(through count: Int) {
        let new = min(max(count - writtenCount, 0), pending.count)
        for entry in pending.prefix(new) {
            written.add(entry.fate)
            written.add(entry.samples)
        }
        pending.removeFirst(new)
        writtenCount += new
    }
}

/// Ledger of a WAV file. Samples are added to the ledger in the order of the file, before they are written.
struct WaveLedger {
    private var written = ContentCounts()
    private var writtenCount: Int64 = 0
    /// The samples that had not been written when the ledger was last updated.
    private var pending = AudioFateRun()

    /// Maximum number of runs of samples that may be pending before they are counted.
    private static let maxPending = 256

    /// Appends samples to the ledger.
    ///
    /// - Parameters:
    ///   - fates: The fates of the samples.
    ///   - count: Number of samples per channel in the file before the new samples are appended.
    mutating func append(_ fates: AudioFateRun, written count: Int64) {
        if pending.runs.count >= Self.maxPending { settle(through: count) }
        pending.append(fates)
    }

    /// Returns the ledger of a closed file.
    ///
    /// - Parameter count: Number of samples per channel in the file.
    /// - Returns: The ledger. Samples that aren't in the file count as dropped.
    func closed(written count: Int64) -> StreamLedger {
        var settled = self
        settled.settle(through: count)
        var ledger = StreamLedger()
        ledger.written = settled.written
        ledger.dropped.add(settled.pending)
        return ledger
    }

    private mutating func settle(through count: Int64) {
        let new = pending.removeFirst(Int(clamping: count - writtenCount))
        written.add(new)
        writtenCount += Int64(new.count)
    }
}
