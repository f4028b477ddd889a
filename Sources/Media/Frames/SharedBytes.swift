/// A block of memory that several parts read, and that goes back to its owner when the last one releases it.
///
/// The owner may be a driver's buffer, a pool, a codec's packet or an array: the closure keeps it alive.
public final class SharedBytes: @unchecked Sendable {
    // Written before it is shared, only read afterwards; `release` runs once, in `deinit`.
    /// The first byte. Write to the memory only before it is shared.
    public let start: UnsafeMutableRawPointer
    /// Number of bytes.
    public let count: Int
    private let release: @Sendable () -> Void

    /// Shares memory that something else owns.
    ///
    /// - Parameters:
    ///   - start: The first byte. Readable until `release` runs.
    ///   - count: The number of bytes.
    ///   - release: Gives the memory back, on whatever thread drops the last reference. It must not block.
    public init(start: UnsafeMutableRawPointer, count: Int, release: @escaping @Sendable () -> Void) {
        self.start = start
        self.count = count
        self.release = release
    }

    /// Allocates `count` bytes, uninitialised, aligned to 64 bytes for vector code, and followed by 64 unused bytes for
    /// readers that overshoot.
    public convenience init(count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count + 64, alignment: 64)
        nonisolated(unsafe) let owned = memory  // Only `deinit` touches it again.
        self.init(start: memory, count: count) { owned.deallocate() }
    }

    /// Allocates memory and copies the bytes of a buffer into it.
    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
    }

    /// Allocates memory and copies a collection of bytes into it.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count)
        UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: bytes)
    }

    deinit {
        release()
    }

    /// The whole memory, to be read while this object is held.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
