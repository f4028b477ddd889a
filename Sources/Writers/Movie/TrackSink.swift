package import Media

/// The way of one stream into its file. Any thread may append, one at a time for each stream.
package struct TrackSink: Sendable {
    package let writer: MovieWriter
    /// The stream's place in the file, from 0.
    package let stream: Int

    package init(writer: MovieWriter, stream: Int) {
        self.writer = writer
        self.stream = stream
    }

    package func append(_ packet: EncodedPacket) { writer.append(packet, stream: stream) }

    /// This stream has nothing to send at the split that was asked for last.
    package func pass() { writer.pass(stream) }

    /// The file's name from the session folder, for messages.
    package var name: String { writer.relativePath }

    /// This stream ends before the recording. Where it has its file for itself, so does the file.
    package func endAlone(at time: MediaTime) {
        if writer.streamCount == 1 { writer.setEnd(time) }
    }

    /// No packet of this stream follows.
    package func finish() { writer.finishStream(stream) }
}
