internal import MulticamMedia

/// Header of a Broadcast Wave file (EBU Tech 3285), which consists of all bytes before the samples. The size
/// of the header never changes during a recording.
///
/// A file below 4 GiB is a RIFF file with a `JUNK` chunk, which reserves space for 64-bit sizes. A larger
/// file is an RF64 file (EBU Tech 3306).
struct WaveHeader {
    let format: AudioFormat
    let bits: Int
    let broadcast: BroadcastExtension

    /// Size in bytes of one sample frame, which contains one sample of each channel.
    var blockSize: Int { bits / 8 * format.channels }

    /// Returns the header for `dataSize` bytes of samples.
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

    /// Content of the `fmt` chunk. For up to two channels, the format is plain PCM. For more channels, it is
    /// `WAVEFORMATEXTENSIBLE` without speaker positions.
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
        // The sub-format is KSDATAFORMAT_SUBTYPE_PCM.
        content.put(little: UInt16(1))
        content.append(contentsOf: [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        return content
    }
}

/// Header of a Broadcast Wave file in the format that `WaveHeader` writes, read from an untrusted file.
struct WaveLayout {
    let format: AudioFormat
    /// Size in bytes of one sample frame, which contains one sample of each channel.
    let blockSize: Int64
    /// Byte offset of the chunk that contains 64-bit sizes or reserves space for them.
    let sizesOffset = 12
    /// Byte offset of the samples.
    let samplesOffset: Int
    /// Size of the samples in bytes, as stated in the header.
    let dataSize: Int64
    /// RIFF size as stated in the header: the size in bytes of all data after the first 8 bytes.
    private let riffSize: Int64

    /// Maximum size of a header that is read, in bytes. Headers that multicam writes are smaller.
    static let headerLimit = 4096
    /// Maximum accepted value of a size field, in bytes. At this limit, sums of sizes don't overflow.
    private static let largestSize: Int64 = 1 << 60

    /// Reads a header; `nil` if the layout differs from the headers that multicam writes.
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

    /// Returns the number of samples per channel that are both described by the header and present in the file.
    func sampleCount(in byteCount: Int64) -> Int64 {
        min(dataSize, max(0, byteCount - Int64(samplesOffset))) / blockSize
    }

    /// Whether the sizes in the header are consistent with each other and with the size of the file.
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

/// Origin metadata of a Broadcast Wave file (`bext` chunk, EBU Tech 3285).
package struct BroadcastExtension: Sendable, Equatable {
    /// Free text, at most 256 bytes of UTF-8. Longer text is truncated.
    package let description: String
    /// Name of the recording, at most 32 bytes of UTF-8. A longer name is truncated.
    package let reference: String
    /// Local date and time of the first sample.
    package let start: LocalTime

    /// Creates origin metadata. Each parameter sets the property of the same name.
    package init(description: String, reference: String, start: LocalTime) {
        self.description = description
        self.reference = reference
        self.start = start
    }

    /// Content of the `bext` chunk in version 1, without UMID and loudness.
    func bytes(rate: Int, bits: Int, channels: Int) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.put(text: description, count: 256)
        buffer.put(text: "multicam", count: 32)
        buffer.put(text: reference, count: 32)
        buffer.put(
            text: "\(start.year.padded(4))-\(start.month.padded(2))-\(start.day.padded(2))", count: 10)
        buffer.put(
            text: "\(start.hour.padded(2)):\(start.minute.padded(2)):\(start.second.padded(2))", count: 8)
        buffer.put(little: UInt64(max(0, start.samples(rate: rate))))
        buffer.put(little: UInt16(1))  // version
        buffer.append(contentsOf: repeatElement(0, count: 64 + 190))  // UMID, reserved
        // Each line of the coding history (EBU R 98) consists of comma-separated fields.
        let mode = channels == 1 ? "mono" : channels == 2 ? "stereo" : "multitrack"
        var history = "A=PCM,F=\(rate),W=\(bits),M=\(mode),T=multicam\r\n"
        if history.utf8.count % 2 != 0 { history += "\0" }
        buffer.append(contentsOf: history.utf8)
        return buffer
    }

}

extension Array<UInt8> {
    /// Appends a number in little-endian byte order, as used in RIFF files.
    mutating func put(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends text in a field of `count` bytes, truncated at a character boundary or padded with zeros.
    mutating func put(text: String, count: Int) {
        var bytes: [UInt8] = []
        for character in text {
            guard bytes.count + character.utf8.count <= count else { break }
            bytes.append(contentsOf: character.utf8)
        }
        append(contentsOf: bytes)
        append(contentsOf: repeatElement(0, count: count - bytes.count))
    }

    /// Appends a RIFF chunk.
    mutating func put(chunk name: String, _ content: [UInt8]) {
        append(contentsOf: name.utf8)
        put(little: UInt32(content.count))
        append(contentsOf: content)
        if content.count % 2 != 0 { append(0) }
    }
}
