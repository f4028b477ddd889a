package import MulticamMedia
package import MulticamSystem

/// Writes a Broadcast Wave recording that is playable at any time.
///
/// About every half second, the pending samples are written and the sizes in the header are updated, so at
/// most half a second of audio is lost if the process is killed. Not thread-safe: use an instance from only
/// one thread at a time. If the instance is released without a call to `finish`, the file remains in its
/// current state.
package final class WaveFile {
    /// Sample format: signed little-endian integers.
    package enum Depth: Int, Sendable {
        /// 16 bits per sample.
        case integer16 = 16
        /// 24 bits per sample.
        case integer24 = 24
    }

    /// Opens the same file for reading, even if the file was renamed while it was being written.
    ///
    /// - Throws: `FileError` with the operation "opening".
    package func reader() throws(FileError) -> ReadFile { try file.reader() }

    /// Path of the file.
    package var path: String { file.path }
    /// Sample rate and number of channels.
    package let format: AudioFormat
    private let depth: Depth
    private var header: WaveHeader
    private let headerSize: Int64
    private let file: OutputFile
    private let durability: DurabilityThread
    private var pending: [UInt8] = []
    /// Size of the most recently appended samples, in bytes.
    private var lastSize = 0
    /// Size of the samples in the file, in bytes.
    private var dataSize: Int64 = 0
    private var failure: FileError?
    private var isOpen = true
    /// Running checksum of the samples; `nil` if the checksum can't be computed.
    private var runningChecksum = RunningChecksum()
    /// Checksum of the finished file; `nil` until `finish` is called, or if the checksum can't be computed.
    package private(set) var checksum: FileChecksum?
    /// Expected size of the file in bytes, computed from the data that was written.
    package var byteCount: Int64 { headerSize + dataSize + dataSize % 2 }

    /// Creates a Broadcast Wave file. The file must not exist yet.
    ///
    /// - Parameters:
    ///   - path: Final path of the file, in an existing folder.
    ///   - format: The sample rate and number of channels. Any values are accepted.
    ///   - depth: Sample format.
    ///   - broadcast: Metadata about the origin of the recording.
    ///   - disk: Callbacks for file writes.
    /// - Throws: `FileError` with the operation "creating the file" or "writing".
    package convenience init(
        path: String, format: AudioFormat, depth: Depth = .integer24, broadcast: BroadcastExtension,
        disk: FileWriteHooks = FileWriteHooks()
    ) throws(FileError) {
        try self.init(
            try ContainedFile(path: path, operation: "creating the file"), format: format, depth: depth,
            broadcast: broadcast, disk: disk)
    }

    /// Creates a Broadcast Wave file inside a folder; see `init(path:format:depth:broadcast:disk:)`.
    package init(
        _ place: ContainedFile, format: AudioFormat, depth: Depth = .integer24, broadcast: BroadcastExtension,
        disk: FileWriteHooks = FileWriteHooks()
    ) throws(FileError) {
        precondition(
            format.channels > 0 && format.rate > 0, "the channel count and the sample rate must be positive")
        self.format = format
        self.depth = depth
        header = WaveHeader(format: format, bits: depth.rawValue, broadcast: broadcast)
        file = try OutputFile(creating: place, disk: disk)
        let bytes = header.bytes(dataSize: 0)
        headerSize = Int64(bytes.count)
        try file.write(bytes, at: 0)
        durability = DurabilityThread(for: file)
    }

    /// Creates a Broadcast Wave file for tests of a full disk. Writes fail when the file reaches
    /// `diskCapacity` bytes.
    package convenience init(
        path: String, format: AudioFormat, depth: Depth, broadcast: BroadcastExtension, diskCapacity: Int64
    ) throws(FileError) {
        try self.init(
            path: path, format: format, depth: depth, broadcast: broadcast,
            disk: FileWriteHooks(capacity: diskCapacity))
    }

    deinit {
        durability.end()
    }

    /// Number of bytes that a call to `finish` would write now.
    package var finishingByteCount: Int64 { Int64(pending.count) + 1 }

    /// Time until the pending samples are written; `nil` before the first samples are appended.
    package var writeSchedule: WriteSchedule? {
        func duration(of size: Int) -> Nanoseconds {
            .duration(of: Int64(size / header.blockSize), perSecond: Int64(format.rate))
        }
        guard lastSize > 0 else { return nil }
        return WriteSchedule(
            remainingDuration: .milliseconds(500) - duration(of: pending.count),
            packetDuration: duration(of: lastSize),
            hasSingleStream: true)
    }

    /// Number of appended samples per channel.
    package var sampleCount: Int64 { (dataSize + Int64(pending.count)) / Int64(header.blockSize) }

    /// Number of samples per channel that are already in the file and therefore survive a process crash.
    package var writtenSampleCount: Int64 { dataSize / Int64(header.blockSize) }

    /// Replaces the origin metadata of a file that was created before its start time was known. Call this
    /// function only before the first sample is appended.
    ///
    /// - Parameter broadcast: Metadata about the origin of the recording.
    /// - Throws: `FileError` with the operation "writing".
    package func setStartMetadata(_ broadcast: BroadcastExtension) throws(FileError) {
        precondition(dataSize == 0 && pending.isEmpty, "the metadata must be set before the first sample")
        header = WaveHeader(format: format, bits: depth.rawValue, broadcast: broadcast)
        let bytes = header.bytes(dataSize: 0)
        precondition(Int64(bytes.count) == headerSize, "the size of the header must not change")
        try file.write(bytes, at: 0)
    }

    /// Appends samples to the recording.
    ///
    /// The full scale of ±1 is mapped to ±2²³ for 24 bits or ±2¹⁵ for 16 bits. Values are rounded to the
    /// nearest integer, with ties away from zero. Values beyond full scale are clipped, and NaN becomes 0. No
    /// dithering is applied, because the rounding error at 24 bits is below the noise of any microphone.
    /// - Parameter samples: Interleaved samples, with the same number of samples for each channel.
    /// - Throws: `FileError` with the operation "writing", "fdatasync", or "fsync" if these or earlier
    ///   samples can't be written. After a failure, all later calls throw the same error. The file is valid
    ///   up to the failure, and can still be finished.
    package func append(samples: [Float]) throws(FileError) {
        precondition(isOpen, "samples must be appended before the file is finished")
        precondition(
            samples.count % format.channels == 0, "all channels must have the same number of samples")
        if let known = failure ?? durability.failure {
            failure = known
            throw known
        }
        switch depth {
        case .integer24: appendIntegers24(samples)
        case .integer16: appendIntegers16(samples)
        }
        lastSize = samples.count / format.channels * header.blockSize
        if pending.count * 2 >= format.rate * header.blockSize { try writeRest() }
    }

    /// Writes the pending samples, finishes the file, and flushes it to the disk.
    ///
    /// If an earlier `append` failed, this function finishes the file with the data written before the
    /// failure and doesn't throw the failure again.
    /// - Returns: Number of samples per channel in the file.
    /// - Throws: `FileError` with the operation "writing", "fdatasync", or "fsync".
    @discardableResult
    package func finish() throws(FileError) -> Int64 {
        precondition(isOpen, "the file is already finished")
        isOpen = false
        let known = failure
        // If writing the remaining samples fails, the error is thrown after the remaining steps are complete.
        do throws(FileError) { try writeRest() } catch { failure = error }
        // Samples that couldn't be written aren't counted.
        pending = []
        durability.finish()
        if dataSize % 2 != 0 {
            try file.write([0], at: headerSize + dataSize)
            runningChecksum?.add([SharedBytes([0])])
        }
        let head = header.bytes(dataSize: dataSize)
        try file.write(head, at: 0)
        try file.makeDurable()
        runningChecksum?.add([SharedBytes(head)])
        checksum = runningChecksum.map { FileChecksum(value: $0.value, start: headerSize) }
        if known == nil, let failure = failure ?? durability.failure { throw failure }
        return dataSize / Int64(header.blockSize)
    }

    /// Closes the file without writing the pending samples. The file is playable but may lack the last half
    /// second of audio.
    package func abandon() {
        isOpen = false
        durability.end()
        file.unlock()
        pending = []
    }

    /// Adds silence without using disk space. Tests use this function to reach offsets beyond 4 GiB.
    package func appendHole(sampleCount: Int64) throws(FileError) {
        try writeRest()
        runningChecksum = nil
        dataSize += sampleCount * Int64(header.blockSize)
        try file.setEnd(headerSize + dataSize)
    }

    /// Writes the pending samples, and then updates the header to include these samples. The header never
    /// describes samples that aren't in the file.
    ///
    /// - Throws: `FileError` with the operation "writing". Data that was written earlier remains valid, and
    ///   the file can still be finished.
    package func writeRest() throws(FileError) {
        guard failure == nil, !pending.isEmpty else { return }
        do throws(FileError) {
            try file.write(pending, at: headerSize + dataSize)
            try file.write(header.bytes(dataSize: dataSize + Int64(pending.count)), at: 0)
        } catch {
            failure = error
            pending = []
            do throws(FileError) { try file.setEnd(headerSize + dataSize) } catch {
                // A failed truncation is ignored, because readers ignore samples beyond the size in the
                // header, and the write error is more informative.
            }
            throw error
        }
        pending.withUnsafeBytes { runningChecksum?.add($0) }
        dataSize += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
        durability.requestFlush()
    }

    private func appendIntegers24(_ samples: [Float]) {
        append(3, samples, scale: 8_388_608) { integer, place in
            place.storeBytes(of: UInt8(truncatingIfNeeded: integer), as: UInt8.self)
            place.storeBytes(of: UInt8(truncatingIfNeeded: integer >> 8), toByteOffset: 1, as: UInt8.self)
            place.storeBytes(of: UInt8(truncatingIfNeeded: integer >> 16), toByteOffset: 2, as: UInt8.self)
        }
    }

    private func appendIntegers16(_ samples: [Float]) {
        append(2, samples, scale: 32_768) { integer, place in
            place.storeBytes(of: UInt8(truncatingIfNeeded: integer), as: UInt8.self)
            place.storeBytes(of: UInt8(truncatingIfNeeded: integer >> 8), toByteOffset: 1, as: UInt8.self)
        }
    }

    /// Appends samples to the pending data. Each sample has `size` bytes, which `store` writes. Memory is
    /// allocated only once, because appending byte by byte takes ten times as long.
    @inline(__always)
    private func append(
        _ size: Int, _ samples: [Float], scale: Float, store: (Int32, UnsafeMutableRawPointer) -> Void
    ) {
        let bytes = [UInt8](unsafeUninitializedCapacity: samples.count * size) { bytes, count in
            count = samples.count * size
            guard var place = UnsafeMutableRawPointer(bytes.baseAddress) else { return }
            for sample in samples {
                store(Self.integer(sample, scale: scale), place)
                place += size
            }
        }
        pending += bytes
    }

    /// Rounds a sample to the nearest integer, with ties away from zero. The computation adds 0.5 as a
    /// `Double`, which is exact, and truncates the fraction. NaN becomes 0.
    @inline(__always)
    private static func integer(_ sample: Float, scale: Float) -> Int32 {
        guard !sample.isNaN else { return 0 }
        let value = Double(min(max(sample * scale, -scale), scale - 1))
        return Int32(value + (value < 0 ? -0.5 : 0.5))
    }
}
