import MulticamMedia

/// Pool of memory blocks for frames of one size that are passed between threads. A block is reused after its
/// last owner has released it.
///
/// The pool saves time because the kernel clears each page of newly allocated memory at its first access,
/// which takes about 1 ms for a 1080p frame.
final class BytesPool: Sendable {
    private struct FreeBlocks: @unchecked Sendable {
        // Each memory block is used only by the caller that removed it from the pool.
        var free: [UnsafeMutableRawPointer] = []
        var byteCount = 0

        mutating func clear() {
            free.forEach { $0.deallocate() }
            free = []
        }
    }

    private struct ReusedBlock: @unchecked Sendable {
        // The block is outside the pool and used only by its current owner.
        let start: UnsafeMutableRawPointer?
    }

    /// Maximum number of free blocks in the pool. Usually fewer blocks than this are in use at once.
    private static let maxFreeBlocks = 4
    private let freeBlocks = ConditionLock(FreeBlocks())

    deinit {
        // Blocks that are returned to the pool after this point are freed.
        freeBlocks.withLock { rooms in
            rooms.clear()
            rooms.byteCount = -1
        }
    }

    /// Returns a block from the pool, or allocates one. Free blocks of another size are deallocated.
    ///
    /// - Parameter count: Size of the block in bytes.
    /// - Returns: A memory block with undefined contents, aligned to 64 bytes.
    func bytes(_ count: Int) -> SharedBytes {
        let kept = freeBlocks.withLock { rooms in
            if rooms.byteCount != count { rooms.clear() }
            rooms.byteCount = count
            return ReusedBlock(start: rooms.free.popLast())
        }
        let start = kept.start ?? .allocate(byteCount: count, alignment: 64)
        nonisolated(unsafe) let room = start  // only the release closure accesses it afterwards
        return SharedBytes(start: start, count: count) { [freeBlocks] in
            freeBlocks.withLock { rooms in
                if rooms.byteCount == count, rooms.free.count < Self.maxFreeBlocks {
                    rooms.free.append(room)
                } else {
                    room.deallocate()
                }
            }
        }
    }
}

/// Reusable memory for an intermediate frame. Each call of `planes` invalidates the planes that were returned
/// before.
struct ScratchPlanes {
    private var memory = SharedBytes(count: 0)

    /// Returns planes with undefined contents.
    ///
    /// - Parameters:
    ///   - size: Width × height of the luma plane in pixels.
    ///   - horizontalShift: Binary logarithm of the horizontal chroma subsampling.
    ///   - verticalShift: Binary logarithm of the vertical chroma subsampling.
    /// - Returns: Planes with strides that are multiples of 64 bytes, valid until the next call or the end of this
    ///   value's lifetime.
    mutating func planes(_ size: FrameSize, _ horizontalShift: Int, _ verticalShift: Int) -> Planes {
        let chroma = Planes.chromaSize(of: size, horizontalShift, verticalShift)
        // Rows are aligned to cache lines.
        let (yStride, stride) = ((size.width + 63) & ~63, (chroma.width + 63) & ~63)
        let (luma, color) = (yStride * size.height, stride * chroma.height)
        if memory.count < luma + 2 * color { memory = SharedBytes(count: luma + 2 * color) }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        return Planes(
            y: start, u: start + luma, v: start + luma + color, yStride: yStride, uStride: stride,
            vStride: stride,
            size: size, horizontalShift: horizontalShift, verticalShift: verticalShift)
    }
}
