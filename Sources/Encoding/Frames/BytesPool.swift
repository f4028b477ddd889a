import Media

/// A pool of memory for frames of one size that travel between threads; memory is reused once its last holder lets go
/// of it.
///
/// New memory of a frame's size comes from the kernel, which clears it page by page at the first touch: about a
/// millisecond for 1080p.
final class BytesPool: Sendable {
    private struct Rooms: @unchecked Sendable {
        // Each block is used by the one that took it out.
        var free: [UnsafeMutableRawPointer] = []
        var byteCount = 0

        mutating func clear() {
            free.forEach { $0.deallocate() }
            free = []
        }
    }

    private struct Kept: @unchecked Sendable {
        // The block is outside the pool, used by its taker alone.
        let start: UnsafeMutableRawPointer?
    }

    /// Largest number of free blocks that are kept: more than are under way at once.
    private static let most = 4
    private let rooms = ConditionLock(Rooms())

    deinit {
        // Blocks that come back later are freed.
        rooms.withLock { rooms in
            rooms.clear()
            rooms.byteCount = -1
        }
    }

    /// Takes a block from the pool, or allocates one. Free blocks of another size are deallocated.
    ///
    /// - Parameter count: Size in bytes.
    /// - Returns: Memory with undefined contents, aligned to 64 bytes.
    func bytes(_ count: Int) -> SharedBytes {
        let kept = rooms.withLock { rooms in
            if rooms.byteCount != count { rooms.clear() }
            rooms.byteCount = count
            return Kept(start: rooms.free.popLast())
        }
        let start = kept.start ?? .allocate(byteCount: count, alignment: 64)
        nonisolated(unsafe) let room = start  // Only the release closure touches it again.
        return SharedBytes(start: start, count: count) { [rooms] in
            rooms.withLock { rooms in
                if rooms.byteCount == count, rooms.free.count < Self.most {
                    rooms.free.append(room)
                } else {
                    room.deallocate()
                }
            }
        }
    }
}
