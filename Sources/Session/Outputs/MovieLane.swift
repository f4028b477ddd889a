internal import Media

/// The way of one stream into its file. Any thread may append, one at a time for each stream.
struct MovieLane: Sendable {
    let writer: MovieWriter
    /// The stream's place in the file, from 0.
    let stream: Int

    func append(_ packet: EncodedPacket) { writer.append(packet, stream: stream) }

    /// This stream has nothing to send at the split that was asked for last.
    func pass() { writer.pass(stream) }

    /// The file's name from the session folder, for messages.
    var name: String { writer.relativePath }

    /// This stream ends before the recording. Where it has its file for itself, so does the file.
    func endAlone(at time: MediaTime) {
        if writer.streamCount == 1 { writer.setEnd(time) }
    }

    /// No packet of this stream follows.
    func finish() { writer.finishStream(stream) }
}
