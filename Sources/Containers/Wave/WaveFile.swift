public import Media

/// Writes a Broadcast Wave recording that is a playable file at every instant.
///
/// About every half second it writes the pending samples and updates the sizes in its header, so a killed process loses at most
/// that. Only one thread at a time may use it. Releasing it without `finish` leaves the file as it is.
public final class WaveFile {
    /// How samples are stored: as signed integers, the lowest byte first.
    public enum Depth: Int, Sendable {
        /// 16 bits per sample.
        case integer16 = 16
        /// 24 bits per sample.
        case integer24 = 24
    }

    /// Path of the file.
    public let path: String
    /// Sample rate and number of channels.
    public let format: AudioFormat
    private let depth: Depth
    private var header: WaveHeader
    private let headerSize: Int64
    private let file: OutputFile
    private let durability: DurabilityThread
    private var pending: [UInt8] = []
    /// Size of the last samples that were appended, in bytes.
    private var lastSize = 0
    /// Size of the samples in the file, in bytes.
    private var dataSize: Int64 = 0
    private var failure: FileError?
    private var isOpen = true
    /// Checksum of the samples; `nil` where it cannot be computed.
    private var running = RunningChecksum()
    /// Checksum of the finished file; `nil` before that, and where it cannot be computed.
    public private(set) var checksum: FileChecksum?
    /// Size in bytes that the file has by what was written.
    public var byteCount: Int64 { headerSize + dataSize + dataSize % 2 }

    /// Creates the file, which must not exist.
    ///
    /// - Parameters:
    ///   - path: Final path of the file, in a folder that exists.
    ///   - format: Any sample rate and number of channels.
    ///   - depth: How samples are stored.
    ///   - broadcast: Origin of the recording.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` "create" or "write".
    public init(
        path: String, format: AudioFormat, depth: Depth = .integer24, broadcast: WaveBroadcast,
        disk: DiskConduct = DiskConduct()
    ) throws(FileError) {
        precondition(format.channels > 0 && format.rate > 0, "audio has channels and a rate")
        self.path = path
        self.format = format
        self.depth = depth
        header = WaveHeader(format: format, bits: depth.rawValue, broadcast: broadcast)
        file = try OutputFile(creating: path, disk: disk)
        let bytes = header.bytes(dataSize: 0)
        headerSize = Int64(bytes.count)
        try file.write(bytes, at: 0)
        durability = DurabilityThread(for: file)
    }

    /// Creates the file for tests of a full disk: writing fails at `diskCapacity` bytes.
    package convenience init(
        path: String, format: AudioFormat, depth: Depth, broadcast: WaveBroadcast, diskCapacity: Int64
    ) throws(FileError) {
        try self.init(
            path: path, format: format, depth: depth, broadcast: broadcast,
            disk: DiskConduct(capacity: diskCapacity))
    }

    deinit {
        durability.end()
    }

    /// Number of bytes that `finish` would still write now.
    public var finishingByteCount: Int64 { Int64(pending.count) + 1 }

    /// When the pending samples are written; `nil` before the first ones.
    package var rhythm: WriteRhythm? {
        func duration(of size: Int) -> Nanoseconds {
            .duration(of: Int64(size / header.blockSize), perSecond: Int64(format.rate))
        }
        guard lastSize > 0 else { return nil }
        return WriteRhythm(
            missing: .milliseconds(500) - duration(of: pending.count), step: duration(of: lastSize),
            isAlone: true)
    }

    /// Samples per channel that were appended.
    public var sampleCount: Int64 { (dataSize + Int64(pending.count)) / Int64(header.blockSize) }

    /// Replaces the origin in a file that was created before its first instant was known. Call it before the first sample only.
    ///
    /// - Parameter broadcast: Origin of the recording.
    /// - Throws: `FileError` "write".
    public func begin(_ broadcast: WaveBroadcast) throws(FileError) {
        precondition(dataSize == 0 && pending.isEmpty, "a file with samples has begun")
        header = WaveHeader(format: format, bits: depth.rawValue, broadcast: broadcast)
        let bytes = header.bytes(dataSize: 0)
        precondition(Int64(bytes.count) == headerSize, "samples stay where they are")
        try file.write(bytes, at: 0)
    }

    /// Takes the next samples.
    ///
    /// Full scale ±1 becomes ±2²³ (or ±2¹⁵), rounded to the nearest integer, half away from zero. Values beyond full scale are
    /// clipped, and values that are not a number become 0. Nothing is dithered: at 24 bits rounding is below any microphone's
    /// noise.
    /// - Parameter samples: Interleaved samples, as many for each channel.
    /// - Throws: `FileError` "write", "fdatasync" or "fsync" when these samples or earlier ones cannot be written, and at every
    ///   call after that: the file is whole as far as it got, and can still be finished.
    public func append(samples: [Float]) throws(FileError) {
        precondition(isOpen, "a file that is finished takes no samples")
        precondition(samples.count % format.channels == 0, "every channel has the same number of samples")
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

    /// Writes the pending samples, and makes the file durable.
    ///
    /// After a failure of `append` it finishes what was written before, and does not throw that failure again.
    /// - Returns: Samples per channel in the file.
    /// - Throws: `FileError` "write", "fdatasync" or "fsync".
    @discardableResult
    public func finish() throws(FileError) -> Int64 {
        precondition(isOpen, "a file is finished once")
        isOpen = false
        let known = failure
        // A failure here is thrown after the rest is in order.
        do throws(FileError) { try writeRest() } catch { failure = error }
        // After a failure, samples that were not written do not count.
        pending = []
        durability.finish()
        if dataSize % 2 != 0 {
            try file.write([0], at: headerSize + dataSize)
            running?.add([SharedBytes([0])])
        }
        let head = header.bytes(dataSize: dataSize)
        try file.write(head, at: 0)
        try file.makeDurable()
        running?.add([SharedBytes(head)])
        checksum = running.map { FileChecksum(value: $0.value, start: headerSize) }
        if known == nil, let failure = failure ?? durability.failure { throw failure }
        return dataSize / Int64(header.blockSize)
    }

    /// Closes the file as it is: playable up to its last half second.
    public func abandon() {
        isOpen = false
        durability.end()
        file.unlock()
        pending = []
    }

    /// Adds silence that takes no room on the disk, so that tests reach offsets beyond 4 GiB.
    package func leaveHole(sampleCount: Int64) throws(FileError) {
        try writeRest()
        running = nil
        dataSize += sampleCount * Int64(header.blockSize)
        try file.setEnd(headerSize + dataSize)
    }

    /// Writes the pending samples and then a header that names them: a header never promises what is not there.
    ///
    /// - Throws: `FileError` "write". What was written before stays, and can be finished.
    public func writeRest() throws(FileError) {
        guard failure == nil, !pending.isEmpty else { return }
        do throws(FileError) {
            try file.write(pending, at: headerSize + dataSize)
            try file.write(header.bytes(dataSize: dataSize + Int64(pending.count)), at: 0)
        } catch {
            failure = error
            pending = []
            do throws(FileError) { try file.setEnd(headerSize + dataSize) } catch {
                // Samples beyond the size in the header are ignored; the first failure tells more.
            }
            throw error
        }
        pending.withUnsafeBytes { running?.add($0) }
        dataSize += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
        durability.request()
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

    /// Appends samples of so many bytes, each stored by `store`. One piece of memory for all of them: to append byte by byte
    /// takes ten times as long.
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

    /// The nearest integer of a sample, half away from zero. In doubles the sum is exact, so that cutting off its fraction
    /// rounds; what is not a number becomes 0.
    @inline(__always)
    private static func integer(_ sample: Float, scale: Float) -> Int32 {
        guard !sample.isNaN else { return 0 }
        let value = Double(min(max(sample * scale, -scale), scale - 1))
        return Int32(value + (value < 0 ? -0.5 : 0.5))
    }
}
