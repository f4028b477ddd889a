package import MulticamMedia
package import MulticamSystem

/// Recovers a Broadcast Wave file after a recording or a crash: reports the readable content, and corrects
/// the header.
///
/// During a recording, samples are written before the header is updated, so all samples that the header
/// describes and that are within the file are complete. Not thread-safe: use an instance from only one thread
/// at a time. The file is locked while the instance exists.
package final class WaveRecovery {
    /// Sample rate and number of channels.
    package let format: AudioFormat
    /// Number of complete samples per channel.
    package let sampleCount: Int64
    /// Whether the sizes in the header are consistent with each other and with the file.
    package let isPlain: Bool
    private let file: OutputFile
    /// Bytes of the file before the samples.
    private let header: [UInt8]
    private let layout: WaveLayout
    private let byteCount: Int64

    /// Opens and locks a Broadcast Wave file, and reads its header.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - disk: Callbacks for file writes.
    /// - Throws: `FileError` with the operation "opening" or "reading". A "reading" error contains an
    ///   explanation if multicam didn't record the file.
    package convenience init(path: String, disk: FileWriteHooks = FileWriteHooks()) throws(FileError) {
        try self.init(try ContainedFile(path: path), disk: disk)
    }

    /// Opens, locks, and reads a Broadcast Wave file inside a folder; see `init(path:disk:)`.
    package init(_ place: ContainedFile, disk: FileWriteHooks = FileWriteHooks()) throws(FileError) {
        file = try OutputFile(opening: place, disk: disk)
        let byteCount = try file.byteCount()
        let start = try file.read(WaveLayout.headerLimit, at: 0)
        guard let layout = WaveLayout(start) else {
            throw FileError(
                path: place.path, operation: "reading",
                detail: "the file is not a Broadcast Wave file recorded by multicam.")
        }
        self.byteCount = byteCount
        self.layout = layout
        format = layout.format
        header = Array(start[..<layout.samplesOffset])
        sampleCount = layout.sampleCount(in: byteCount)
        isPlain = layout.isPlain(in: byteCount)
    }

    /// Corrects the header so that it describes the existing samples or a given number of samples. Missing
    /// samples are replaced with silence. Surplus samples remain in the file after the data that the header
    /// describes.
    ///
    /// If the correction is interrupted, it can be repeated: the samples are flushed to the disk before a
    /// single write changes the header.
    /// - Parameter wanted: Number of samples per channel; `nil` to use the existing samples.
    /// - Returns: Number of samples per channel in the corrected header.
    /// - Throws: `FileError` with the operation "writing", "truncating the file", or "fdatasync".
    @discardableResult
    package func repair(sampleCount wanted: Int64? = nil) throws(FileError) -> Int64 {
        let count = max(0, wanted ?? sampleCount)
        if isPlain, count == sampleCount { return count }
        let samples = Int64(layout.samplesOffset)
        let (known, size) = (sampleCount * layout.blockSize, count * layout.blockSize)
        if size > known {
            // Bytes after the samples that the header describes aren't valid audio, so silence overwrites
            // these bytes.
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
        func overwrite(_ content: [UInt8], at place: Int) {
            bytes.replaceSubrange(place..<place + content.count, with: content)
        }
        var riff: [UInt8] = Array((isLarge ? "RF64" : "RIFF").utf8)
        riff.put(little: isLarge ? UInt32.max : UInt32(total - 8))
        overwrite(riff, at: 0)
        var sizes: [UInt8] = []
        sizes.put(chunk: isLarge ? "ds64" : "JUNK", largeSizes(isLarge, total: total, dataSize: dataSize))
        overwrite(sizes, at: layout.sizesOffset)
        var data: [UInt8] = []
        data.put(little: isLarge ? UInt32.max : UInt32(dataSize))
        overwrite(data, at: layout.samplesOffset - 4)
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
