internal import Encoding
internal import Inputs
internal import Media

/// A publication's own AAC stream of the mix. One thread at a time encodes, the tap's.
final class OwnAudioEncoder: @unchecked Sendable {
    private struct Running {
        let encoder: any AudioEncoding
        let channels: Int
        let first: ClockTime
        /// Index of the sample that comes next.
        var next: Int64
    }

    private let name: String
    // Only the thread that encodes touches it; the end of one tap and the beginning of the next are ordered by the slot's lock.
    private var running: Running?

    private static let bitrate = 160_000

    init(_ name: String) { self.name = name }

    /// Encodes a slice. One that does not follow the last one begins a new stream.
    ///
    /// - Returns: The packets that are ready.
    /// - Throws: `EncodingError` when the encoder fails.
    func encode(_ slice: AudioTap.Slice) throws(EncodingError) -> [PublishedPacket] {
        guard (1...2).contains(slice.channels) else { return [] }
        var running: Running
        if let known = self.running, known.next == slice.firstSample, known.channels == slice.channels {
            running = known
        } else {
            running = Running(
                encoder: try Codecs().makeAudioEncoder(
                    channels: slice.channels, bitrate: Self.bitrate, name: name),
                channels: slice.channels, first: slice.capturedAt, next: slice.firstSample)
        }
        running.next += Int64(slice.samples.count / slice.channels)
        self.running = running
        let parameters = running.encoder.parameters
        let scale = parameters.timeScale
        return try running.encoder.encode(slice.samples).map { packet in
            let time = running.first + .duration(of: packet.presentation, perSecond: scale)
            return PublishedPacket(
                bytes: packet.bytes, presentedAt: time, decodedAt: time,
                duration: .duration(of: packet.duration, perSecond: scale), isKey: true,
                parameters: parameters)
        }
    }
}
