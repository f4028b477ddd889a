public import Media

/// A Broadcast Wave recording that is a playable file at every instant of its life.
///
/// About every half second it writes what came and brings the sizes in its header up to date, so whoever is killed loses
/// at most that. One thread at a time. Letting go of it without `finish` leaves it as it is.
public final class WaveFile {
    /// How samples are stored: integers, the lowest byte first.
    public enum Depth: Int, Sendable {
        case integer16 = 16
        case integer24 = 24
    }

    public let path: String
    public let format: AudioFormat
    private let depth: Depth
    private var header: WaveHeader
    private let headerSize: Int64
    private let file: OutputFile
    private let durability: DurabilityThread
    private var pending: [UInt8] = []
    /// Bytes of samples in the file.
    private var dataSize: Int64 = 0
    private var failure: FileError?
    private var isOpen = true
    /// Of the samples; `nil` where it cannot be told.
    private var running = RunningChecksum()
    /// Of the finished file; `nil` until then.
    public private(set) var checksum: FileChecksum?
    /// Of the file, by what was written.
    public var byteCount: Int64 { headerSize + dataSize + dataSize % 2 }

    /// Creates the file. It must not exist.
    ///
    /// - Parameters:
    ///   - path: Its final name. The folder must exist.
    ///   - format: Any rate and number of channels.
    ///   - depth: How samples are stored.
    ///   - broadcast: What is told of its origin.
    ///   - disk: What its disk does besides.
    /// - Throws: "create" or "write".
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

    /// The same, for tests of a full disk: writing fails at `diskCapacity` bytes.
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

    /// What `finish` would still write if it were called now, in bytes.
    public var finishingByteCount: Int64 { Int64(pending.count) + 1 }

    /// Samples per channel that were appended.
    public var sampleCount: Int64 { (dataSize + Int64(pending.count)) / Int64(header.blockSize) }

    /// Takes its origin anew, for a file that was made when its first instant was not known yet. Before the first sample only.
    ///
    /// - Parameter broadcast: In words as many as before.
    /// - Throws: "write".
    public func begin(_ broadcast: WaveBroadcast) throws(FileError) {
        precondition(dataSize == 0 && pending.isEmpty, "a file with samples has begun")
        header = WaveHeader(format: format, bits: depth.rawValue, broadcast: broadcast)
        let bytes = header.bytes(dataSize: 0)
        precondition(Int64(bytes.count) == headerSize, "samples stay where they are")
        try file.write(bytes, at: 0)
    }

    /// Takes the next samples.
    ///
    /// Full scale ± 1 becomes ± 2²³ (or 2¹⁵), rounded to the nearest integer, half away from zero; what is beyond is
    /// clipped, what is no number becomes 0. Nothing is dithered: at 24 bits the rounding is below any microphone's noise.
    /// - Parameter samples: Interleaved, a whole number for every channel.
    /// - Throws: When what came cannot be written ("write", "fdatasync"), and then always: the file is whole as far as it
    ///   got, and can still be finished.
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
        if pending.count * 2 >= format.rate * header.blockSize { try writeRest() }
    }

    /// Writes the rest, and makes the file durable.
    ///
    /// After a failure of `append` it finishes what was written before, and does not throw that failure again.
    /// - Returns: Samples per channel in the file.
    @discardableResult
    public func finish() throws(FileError) -> Int64 {
        precondition(isOpen, "a file is finished once")
        isOpen = false
        let known = failure
        // What fails here is told when the rest is in order.
        do throws(FileError) { try writeRest() } catch { failure = error }
        // After a failure what had not been written is in no file, and counts as in none.
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

    /// Lets the file be as it is: playable up to its last half second.
    public func abandon() {
        isOpen = false
        durability.end()
        file.unlock()
        pending = []
    }

    /// Adds silence that takes no room on the disk, so that tests reach places beyond 4 GiB.
    package func leaveHole(sampleCount: Int64) throws(FileError) {
        try writeRest()
        running = nil
        dataSize += sampleCount * Int64(header.blockSize)
        try file.setEnd(headerSize + dataSize)
    }

    /// Writes what has come, and a header that has it. Samples first, sizes second: a header never promises what is not there.
    ///
    /// - Throws: What else `append` throws. What was written before stays, and can be finished.
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
        pending.reserveCapacity(pending.count + samples.count * 3)
        for sample in samples {
            let value = UInt32(bitPattern: Self.integer(sample, scale: 8_388_608))
            pending.append(UInt8(truncatingIfNeeded: value))
            pending.append(UInt8(truncatingIfNeeded: value >> 8))
            pending.append(UInt8(truncatingIfNeeded: value >> 16))
        }
    }

    private func appendIntegers16(_ samples: [Float]) {
        pending.reserveCapacity(pending.count + samples.count * 2)
        for sample in samples {
            let value = UInt32(bitPattern: Self.integer(sample, scale: 32_768))
            pending.append(UInt8(truncatingIfNeeded: value))
            pending.append(UInt8(truncatingIfNeeded: value >> 8))
        }
    }

    private static func integer(_ sample: Float, scale: Float) -> Int32 {
        guard !sample.isNaN else { return 0 }
        return Int32(rounding: min(max(sample * scale, -scale), scale - 1))
    }
}
