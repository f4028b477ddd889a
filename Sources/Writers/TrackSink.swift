package import MulticamMedia

/// The destination of one stream of packets, which is a movie, a listener, or both. Thread-safe, but the packets of one
/// stream must be appended one at a time.
package struct TrackSink: Sendable {
    /// The movie that contains the stream; `nil` for a stream that isn't written.
    package let writer: MovieWriter?
    /// Index of the stream in the file, starting at 0.
    package let stream: Int
    /// Path of the movie's first file relative to the session folder. For a stream that isn't written, this
    /// is the name of the stream in messages.
    package let name: String

    private let tally = ConditionLock(FateCounts())

    /// Counts of the packets received so far, by fate.
    package var receivedCounts: FateCounts { tally.withLock { $0 } }

    /// A listener that receives each packet in addition to the file. The listener must not block.
    private let listener: (@Sendable (EncodedPacket) -> Void)?
    /// A function that is called when the stream ends, before the stream's file can be finalized.
    private let ending: (@Sendable () -> Void)?

    /// Creates the sink of one stream. Each parameter sets the property of the same name.
    package init(
        writer: MovieWriter, stream: Int, listener: (@Sendable (EncodedPacket) -> Void)? = nil,
        ending: (@Sendable () -> Void)? = nil
    ) {
        self.ending = ending
        self.writer = writer
        self.stream = stream
        self.listener = listener
        name = writer.relativePath
    }

    /// Creates the sink of a stream that isn't written.
    ///
    /// - Parameters:
    ///   - name: Name of the stream in messages.
    ///   - listener: A closure that receives each packet. The closure must not block.
    package init(named name: String, listener: @escaping @Sendable (EncodedPacket) -> Void) {
        writer = nil
        ending = nil
        stream = 0
        self.name = name
        self.listener = listener
    }

    /// Enqueues a packet for the movie's files. If the queue of a file is full, the packet is dropped from that file.
    ///
    /// - Parameter packet: The packet, with timestamps in ticks of the stream's time scale, relative to T0.
    package func append(_ packet: EncodedPacket) {
        if let fate = packet.fate { tally.withLock { $0.add(fate) } }
        listener?(packet)
        writer?.append(packet, stream: stream)
    }

    /// Declares that this stream has no packets at the most recently requested split, so that the split
    /// doesn't wait for this stream.
    package func skipSplit() { writer?.skipSplit(stream) }

    /// Ends the file early, at a time relative to T0, if this stream is the only one in the file.
    package func endIfOnlyStream(at time: MediaTime) {
        if let writer, writer.streamCount == 1 { writer.setEnd(time) }
    }

    /// Declares that no more packets follow, so that splits don't wait for this stream. The stream must still
    /// be ended with `finish`.
    package func stop() { writer?.stop(stream) }

    /// Counts the next samples, which have no packet. The files play silence instead of these samples.
    package func appendSilence(_ fates: AudioFateRun) {
        if !fates.isEmpty { writer?.appendSilence(fates, stream: stream) }
    }

    /// Ends the stream. No further packets are accepted.
    package func finish() {
        ending?()
        writer?.finishStream(stream)
    }
}
