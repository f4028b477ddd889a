/// Memory that several parts read and that goes back to its owner when the last lets go.
///
/// The owner may be a driver's buffer, a pool, a codec's packet or an array: the closure keeps it alive.
public final class SharedBytes: @unchecked Sendable {
    // Written before it is shared, only read afterwards; `release` runs once, in `deinit`.
    public let start: UnsafeMutableRawPointer
    public let count: Int
    private let release: @Sendable () -> Void

    /// - Parameters:
    ///   - start: The first byte. Readable until `release` runs.
    ///   - count: How many bytes.
    ///   - release: Gives the memory back, on whatever thread drops the last reference. It must not block.
    public init(start: UnsafeMutableRawPointer, count: Int, release: @escaping @Sendable () -> Void) {
        self.start = start
        self.count = count
        self.release = release
    }

    /// Memory of its own, aligned to 64 bytes for vector code, followed by 64 unused bytes for readers that overshoot.
    public convenience init(count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count + 64, alignment: 64)
        nonisolated(unsafe) let owned = memory  // Only `deinit` touches it again.
        self.init(start: memory, count: count) { owned.deallocate() }
    }

    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
    }

    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count)
        UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: bytes)
    }

    deinit {
        release()
    }

    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
