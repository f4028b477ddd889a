package import Media

/// The path of one stream of packets into its movie, or only to who listens. Any thread may append, one at a time for each stream.
package struct TrackSink: Sendable {
    /// The movie that holds the stream, or `nil` for a stream that is not written.
    package let writer: MovieWriter?
    /// Index of the stream in the file, from 0.
    package let stream: Int
    /// Path of the movie's first file relative to the session folder, or what the stream is called, for messages.
    package let name: String

    /// Gets each packet, too; must not block.
    private let listener: (@Sendable (EncodedPacket) -> Void)?
    /// Called when the stream ends, before its file can be finished.
    private let ending: (@Sendable () -> Void)?

    /// Creates the sink of one stream; each parameter sets the property of its name.
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

    /// Creates the sink of a stream that is not written.
    ///
    /// - Parameters:
    ///   - name: What messages call the stream.
    ///   - listener: Gets each packet; must not block.
    package init(named name: String, listener: @escaping @Sendable (EncodedPacket) -> Void) {
        writer = nil
        ending = nil
        stream = 0
        self.name = name
        self.listener = listener
    }

    /// Queues a packet for the movie's files, or drops it where a queue has no room.
    ///
    /// - Parameter packet: The packet; its times are ticks of the stream's time scale since T0.
    package func append(_ packet: EncodedPacket) {
        listener?(packet)
        writer?.append(packet, stream: stream)
    }

    /// Notes that this stream has no packet at the split that was requested last, so that the split does not wait for it.
    package func pass() { writer?.pass(stream) }

    /// Ends the file at a time since T0, before the recording's end, if this stream is the only one in it.
    package func endAlone(at time: MediaTime) {
        if let writer, writer.streamCount == 1 { writer.setEnd(time) }
    }

    /// Ends the stream: no packet of it follows.
    package func finish() {
        ending?()
        writer?.finishStream(stream)
    }
}
