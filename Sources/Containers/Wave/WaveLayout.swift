import Media

/// Header of a Broadcast Wave file as `WaveHeader` writes it, read from a file that is not trusted.
struct WaveLayout {
    let format: AudioFormat
    /// Bytes of one sample of all channels.
    let blockSize: Int64
    /// Offset in bytes of the chunk that holds sizes of 64 bits, or keeps their place.
    let sizesOffset = 12
    /// Offset in bytes of the samples.
    let samplesOffset: Int
    /// Size of the samples in bytes, as the header names it.
    let dataSize: Int64
    /// Size in bytes of everything after the first 8 bytes, as the header names it.
    private let riffSize: Int64

    /// Largest header in bytes: more than any that multicam writes.
    static let headerLimit = 4096
    /// Largest size in bytes that is accepted, so that sums of such numbers do not overflow.
    private static let largestSize: Int64 = 1 << 60

    /// Reads a header; `nil` where it is not laid out as multicam's are.
    ///
    /// - Parameter bytes: First bytes of the file.
    init?(_ bytes: [UInt8]) {
        guard let kind = bytes.code(at: 0), kind == "RIFF" || kind == "RF64", bytes.code(at: 8) == "WAVE",
            let first = bytes.code(at: sizesOffset), first == "JUNK" || first == "ds64",
            bytes.little32(at: 16) == 28, let smallSize = bytes.little32(at: 4)
        else { return nil }
        let isLarge = kind == "RF64"
        riffSize = isLarge ? bytes.little64(at: 20) ?? -1 : Int64(smallSize)
        var audio: (format: AudioFormat, blockSize: Int64)?
        var place = sizesOffset
        while let name = bytes.code(at: place), let size = bytes.little32(at: place + 4), name != "data" {
            if name == "fmt " {
                guard let read = Self.readFormat(bytes, at: place + 8) else { return nil }
                audio = read
            }
            place += 8 + Int(size) + Int(size % 2)
        }
        guard let audio, bytes.code(at: place) == "data", let size = bytes.little32(at: place + 4) else {
            return nil
        }
        (format, blockSize) = audio
        samplesOffset = place + 8
        dataSize = isLarge ? bytes.little64(at: 28) ?? -1 : Int64(size)
        guard (0..<Self.largestSize).contains(dataSize) else { return nil }
    }

    /// Samples per channel that the header names and the file has.
    func sampleCount(in byteCount: Int64) -> Int64 {
        min(dataSize, max(0, byteCount - Int64(samplesOffset))) / blockSize
    }

    /// Whether the sizes in the header agree with each other, and the file has all bytes that they name.
    func isPlain(in byteCount: Int64) -> Bool {
        let end = Int64(samplesOffset) + dataSize + dataSize % 2
        return dataSize % blockSize == 0 && byteCount >= end && riffSize == end - 8
    }

    private static func readFormat(
        _ bytes: [UInt8], at place: Int
    ) -> (format: AudioFormat, blockSize: Int64)? {
        guard let channels = bytes.little16(at: place + 2), (1...64).contains(channels),
            let rate = bytes.little32(at: place + 4), (8000...192_000).contains(rate),
            let block = bytes.little16(at: place + 12), let bits = bytes.little16(at: place + 14),
            bits == 16 || bits == 24, Int(block) == Int(channels) * Int(bits) / 8
        else { return nil }
        return (AudioFormat(rate: Int(rate), channels: Int(channels)), Int64(block))
    }
}

extension [UInt8] {
    private func little(_ count: Int, at place: Int) -> UInt64? {
        guard place >= 0, place <= self.count - count else { return nil }
        return self[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate func little16(at place: Int) -> UInt16? { little(2, at: place).map { UInt16($0) } }
    fileprivate func little32(at place: Int) -> UInt32? { little(4, at: place).map { UInt32($0) } }
    fileprivate func little64(at place: Int) -> Int64? { little(8, at: place).flatMap { Int64(exactly: $0) } }

    fileprivate func code(at place: Int) -> String? {
        guard place >= 0, place <= count - 4 else { return nil }
        return String(decoding: self[place..<place + 4], as: UTF8.self)
    }
}
