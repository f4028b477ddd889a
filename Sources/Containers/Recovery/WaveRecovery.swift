public import Media

/// A Broadcast Wave file as the end of a recording, or a crash, left it: tells what can be read of it, and corrects its header.
///
/// While recording, samples are written before the header: samples that the header names and the file has are whole. Only one
/// thread at a time may use it. While it exists, the file is locked.
public final class WaveRecovery {
    /// Path of the file.
    public let path: String
    /// Sample rate and number of channels.
    public let format: AudioFormat
    /// Samples per channel that are whole.
    public let sampleCount: Int64
    /// Whether the sizes in the header agree with each other and with the file.
    public let isPlain: Bool
    private let file: OutputFile
    /// Bytes of the file before the samples.
    private let header: [UInt8]
    private let layout: WaveLayout
    private let byteCount: Int64

    /// Opens and locks a file, and reads its header.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` "open" or "read"; "read" with a sentence when the file was not recorded by multicam.
    public init(path: String, disk: DiskConduct = DiskConduct()) throws(FileError) {
        self.path = path
        file = try OutputFile(opening: path, disk: disk)
        let (byteCount, isRegular) = try file.facts()
        let start = isRegular ? try file.read(WaveLayout.headerLimit, at: 0) : []
        guard let layout = WaveLayout(start) else {
            throw FileError(
                path: path, operation: "read",
                detail: "it is not a Broadcast Wave file that this program has recorded.")
        }
        self.byteCount = byteCount
        self.layout = layout
        format = layout.format
        header = Array(start[..<layout.samplesOffset])
        sampleCount = layout.sampleCount(in: byteCount)
        isPlain = layout.isPlain(in: byteCount)
    }

    /// Corrects the header for the samples that are there, or for another number: missing samples become silence, and surplus
    /// ones stay in the file after those that the header names.
    ///
    /// It may be interrupted at any instant and repeated: the samples are made durable before one write changes the header.
    /// - Parameter wanted: Samples per channel; `nil` for those that are there.
    /// - Returns: Samples per channel that the header names now.
    /// - Throws: `FileError` "write", "truncate" or "fdatasync".
    @discardableResult
    public func makeWhole(sampleCount wanted: Int64? = nil) throws(FileError) -> Int64 {
        let count = max(0, wanted ?? sampleCount)
        if isPlain, count == sampleCount { return count }
        let samples = Int64(layout.samplesOffset)
        let (known, size) = (sampleCount * layout.blockSize, count * layout.blockSize)
        if size > known {
            // Bytes after the samples that the header names are no audio: silence replaces them.
            let overwritten = min(byteCount, samples + size) - (samples + known)
            if overwritten > 0 {
                try file.write([UInt8](repeating: 0, count: Int(overwritten)), at: samples + known)
            }
        }
        if byteCount < samples + size + size % 2 { try file.setEnd(samples + size + size % 2) }
        try file.makeDurable()
        try file.write(header(dataSize: size), at: 0)
        try file.makeDurable()
        return count
    }

    private func header(dataSize: Int64) -> [UInt8] {
        let total = Int64(layout.samplesOffset) + dataSize + dataSize % 2
        let isLarge = total - 8 > UInt32.max
        var bytes = header
        func put(_ content: [UInt8], at place: Int) {
            bytes.replaceSubrange(place..<place + content.count, with: content)
        }
        var riff: [UInt8] = Array((isLarge ? "RF64" : "RIFF").utf8)
        riff.put(little: isLarge ? UInt32.max : UInt32(total - 8))
        put(riff, at: 0)
        var sizes: [UInt8] = []
        sizes.put(chunk: isLarge ? "ds64" : "JUNK", largeSizes(isLarge, total: total, dataSize: dataSize))
        put(sizes, at: layout.sizesOffset)
        var data: [UInt8] = []
        data.put(little: isLarge ? UInt32.max : UInt32(dataSize))
        put(data, at: layout.samplesOffset - 4)
        return bytes
    }

    private func largeSizes(_ isLarge: Bool, total: Int64, dataSize: Int64) -> [UInt8] {
        guard isLarge else { return [UInt8](repeating: 0, count: 28) }
        var sizes: [UInt8] = []
        sizes.put(little: total - 8)
        sizes.put(little: dataSize)
        sizes.put(little: dataSize / layout.blockSize)
        sizes.put(little: UInt32(0))
        return sizes
    }
}
