import Media

/// Header of a Broadcast Wave file (EBU Tech 3285): all bytes before the samples, whose number never changes.
///
/// Below 4 GiB the file is RIFF, and a `JUNK` chunk keeps the place of 64-bit sizes; beyond that it is RF64 (EBU Tech 3306).
struct WaveHeader {
    let format: AudioFormat
    let bits: Int
    let broadcast: WaveBroadcast

    /// Bytes of one sample of all channels.
    var blockSize: Int { bits / 8 * format.channels }

    /// The header for `dataSize` bytes of samples.
    func bytes(dataSize: Int64) -> [UInt8] {
        var chunks: [UInt8] = []
        chunks.put(chunk: "bext", broadcast.bytes(rate: format.rate, bits: bits, channels: format.channels))
        chunks.put(chunk: "fmt ", formatContent)
        let sizesCount = 8 + 28
        let total = Int64(12 + sizesCount + chunks.count + 8) + dataSize + dataSize % 2
        let isLarge = total - 8 > UInt32.max

        var header: [UInt8] = []
        header.append(contentsOf: (isLarge ? "RF64" : "RIFF").utf8)
        header.put(little: isLarge ? UInt32.max : UInt32(total - 8))
        header.append(contentsOf: "WAVE".utf8)
        var sizes: [UInt8] = []
        if isLarge {
            sizes.put(little: total - 8)
            sizes.put(little: dataSize)
            sizes.put(little: dataSize / Int64(blockSize))
            sizes.put(little: UInt32(0))  // no other large chunks
        } else {
            sizes = Array(repeating: 0, count: 28)
        }
        header.put(chunk: isLarge ? "ds64" : "JUNK", sizes)
        header.append(contentsOf: chunks)
        header.append(contentsOf: "data".utf8)
        header.put(little: isLarge ? UInt32.max : UInt32(dataSize))
        return header
    }

    /// Content of the format chunk: plain PCM for up to two channels; more need the extensible form (`WAVEFORMATEXTENSIBLE`),
    /// without loudspeakers.
    private var formatContent: [UInt8] {
        let isExtensible = format.channels > 2
        var content: [UInt8] = []
        content.put(little: UInt16(isExtensible ? 0xFFFE : 1))
        content.put(little: UInt16(format.channels))
        content.put(little: UInt32(format.rate))
        content.put(little: UInt32(format.rate * blockSize))
        content.put(little: UInt16(blockSize))
        content.put(little: UInt16(bits))
        guard isExtensible else { return content }
        content.put(little: UInt16(22))
        content.put(little: UInt16(bits))
        content.put(little: UInt32(0))
        // KSDATAFORMAT_SUBTYPE_PCM
        content.put(little: UInt16(1))
        content.append(contentsOf: [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        return content
    }
}
