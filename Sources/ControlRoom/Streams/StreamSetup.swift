internal import FoundationEssentials

/// What a page must know before it can decode a stream; a message of the WebSocket.
struct StreamSetup: Sendable, Equatable, Encodable {
    private var type = "stream"
    /// The page's number of the stream.
    var stream: UInt16 = 0
    /// `jpeg`, `pcm`, or a codec string of RFC 6381 such as `avc1.640028`.
    let codec: String
    /// The decoder's configuration record in base64 (ISO/IEC 14496-15, section 5.3.3).
    var description: String?
    var width: Int?
    var height: Int?
    var channels: Int?
    var sample_rate: Int?

    init(codec: String) { self.codec = codec }

    /// The setup of H.264; `nil` where the record is none.
    ///
    /// - Parameter record: The AVCDecoderConfigurationRecord, whose bytes 1 to 3 are profile, constraints and level.
    init?(h264 record: [UInt8]) {
        guard record.count > 4, record[0] == 1 else { return nil }
        let hex = record[1...3].map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        codec = "avc1." + hex.joined()
        description = Data(record).base64EncodedString()
    }

    /// The setup of audio of 16 bits a sample at 48 kHz.
    init(channels: Int) {
        codec = "pcm"
        self.channels = channels
        sample_rate = 48_000
    }
}
