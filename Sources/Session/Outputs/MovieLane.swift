internal import Media

/// The way of one stream into its file. Any thread may append, one at a time for each stream.
struct MovieLane: Sendable {
    let writer: MovieWriter
    /// The stream's place in the file, from 0.
    let stream: Int

    func append(_ packet: EncodedPacket) { writer.append(packet, stream: stream) }

    /// This stream has nothing to send at the split that was asked for last.
    func pass() { writer.pass(stream) }

    /// No packet of this stream follows.
    func finish() { writer.finishStream(stream) }
}
