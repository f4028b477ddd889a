import Media

/// What a Broadcast Wave file's header tells, as `WaveHeader` writes it. Nothing of it is believed.
struct WaveLayout {
    let format: AudioFormat
    /// Bytes of one sample of all channels.
    let blockSize: Int64
    /// Where the chunk begins that has, or is kept for, sizes of 64 bits.
    let sizesOffset = 12
    /// Where the samples begin.
    let samplesOffset: Int
    /// What the header says of the samples' bytes.
    let dataSize: Int64
    /// What it says of all that follows its first 8 bytes.
    private let riffSize: Int64

    /// More than any header of ours has.
    static let headerLimit = 4096
    /// No file is larger, and sums of such numbers fit.
    private static let largestSize: Int64 = 1 << 60

    /// `nil` for what is not laid out as ours.
    ///
    /// - Parameter bytes: The file's first.
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

    /// How many samples per channel there are: those that the header names, as far as the file has them.
    func sampleCount(in byteCount: Int64) -> Int64 {
        min(dataSize, max(0, byteCount - Int64(samplesOffset))) / blockSize
    }

    /// Whether its sizes agree with each other, and the file has all that they name.
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
