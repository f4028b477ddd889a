internal import Encoding
internal import Media
internal import Timing

/// Encodes the mastered mix of a recording, from its first sample to its last. Used by one thread alone.
final class SoundEncoding {
    private let mix: SessionMix
    private let mastering: Mastering
    private let encoder: any AudioEncoding
    private let first: Int64
    private let end: Int64
    private var isFinished = false

    /// Begins an encoding.
    ///
    /// - Parameters:
    ///   - mix: The mix, at its first sample.
    ///   - mastering: What is done to it.
    ///   - samples: Indices since T0 of what is encoded.
    ///   - bitrate: Bits per second.
    /// - Throws: When the encoder refuses the bit rate.
    init(
        _ mix: SessionMix, mastering: Mastering, samples: Range<Int64>, bitrate: Int
    ) throws(EncodingError) {
        self.mix = mix
        self.mastering = mastering
        (first, end) = (samples.lowerBound, samples.upperBound)
        encoder = try Codecs().makeAudioEncoder(
            channels: AudioGrid.mixChannels, bitrate: bitrate, name: "mix")
    }

    /// What the file must know of the stream.
    var parameters: StreamParameters { encoder.parameters }
    /// What could not be read so far, as sentences.
    var faults: [String] { mix.faults }

    /// Encodes up to a sample.
    ///
    /// - Parameter end: Index since T0; at the last sample the stream is finished.
    /// - Returns: The packets that are ready.
    /// - Throws: When the encoder fails.
    func packets(upTo end: Int64) throws(EncodingError) -> [EncodedPacket] {
        guard !isFinished else { return [] }
        let stop = min(end, self.end)
        var packets: [EncodedPacket] = []
        while true {
            let place = max(mix.position, first)
            let samples = mix.next(upTo: stop)
            if samples.isEmpty { break }
            packets += try encoder.encode(mastering.applied(to: samples, at: place - first))
        }
        if stop == self.end {
            isFinished = true
            packets += try encoder.finish()
        }
        return packets
    }
}
