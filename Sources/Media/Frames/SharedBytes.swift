/// A block of memory that several readers share. The memory is returned to its owner when the last reference
/// is released.
///
/// The owner may be a driver's buffer, a buffer pool, a codec's packet, or an array. The `release` closure
/// keeps the owner alive.
public final class SharedBytes: @unchecked Sendable {
    // The memory is written only before it is shared, and is read-only afterwards; `release` is called once,
    // in `deinit`.
    /// Pointer to the first byte. Write to the memory only before it is shared.
    package let start: UnsafeMutableRawPointer
    /// Number of bytes.
    public let count: Int
    private let release: @Sendable () -> Void

    /// Shares memory that another object owns.
    ///
    /// - Parameters:
    ///   - start: The first byte. The memory must be readable until `release` runs.
    ///   - count: The number of bytes.
    ///   - release: Returns the memory to its owner, on the thread that releases the last reference. The
    ///     closure must not block.
    public init(start: UnsafeMutableRawPointer, count: Int, release: @escaping @Sendable () -> Void) {
        self.start = start
        self.count = count
        self.release = release
    }

    /// Allocates `count` uninitialized bytes, aligned to 64 bytes for SIMD code. The allocation includes 64
    /// padding bytes for code that reads past the end.
    package convenience init(count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count + 64, alignment: 64)
        nonisolated(unsafe) let owned = memory  // Only `deinit` accesses the memory again.
        self.init(start: memory, count: count) { owned.deallocate() }
    }

    /// Allocates memory and copies the bytes of a buffer into it.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
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

    /// The entire memory block; valid while this object is retained.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
