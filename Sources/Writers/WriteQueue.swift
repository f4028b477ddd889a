internal import MulticamContainers
internal import MulticamMedia

/// A queue that passes items to the thread of one file, in order. The number of queued bytes is limited.
///
/// Callers never wait for the disk, because an item that doesn't fit is rejected. In simulated time, which would run
/// faster than any disk, the caller waits instead.
///
/// The file's thread is not woken for each item, but once per batch. A batch is the number of frames or the
/// amount of audio that is written at once. Waking a thread costs as much as writing several hundred
/// kilobytes.
final class WriteQueue<Item: Sendable>: Sendable {
    /// The memory limit that applies to an item.
    enum Kind: Sendable {
        /// A frame, which uses memory that all files share. `least` is the space that must be available for it:
        /// `ample` if frames were dropped and this key frame is the first frame after them, otherwise `little`.
        case frame(least: WriteLimits.Room)
        case audio
        /// The item uses no memory and is never rejected.
        case command
    }

    private struct Entry {
        let item: Item
        let since: ClockTime
        let frameBytes: Int
        let audioBytes: Int
    }

    private struct State {
        /// The items in order of arrival, starting at `head`.
        var entries: [Entry?] = []
        var head = 0
        var frameBytes = 0
        var audioBytes = 0
        var isFinished = false
        /// Whether the file's thread is awake. The thread processes all items and sleeps when the queue is empty.
        var isDraining = false
        /// Time for which items are batched before the file's thread is woken.
        var batchingTime: Nanoseconds
        /// Maximum number of batched items.
        var maxBatchCount = Int.max

        init(batchingTime: Nanoseconds) { self.batchingTime = batchingTime }

        var count: Int { entries.count - head }
        var oldest: Entry? { head < entries.count ? entries[head] : nil }

        mutating func popFirst() -> Entry? {
            guard head < entries.count, let entry = entries[head] else { return nil }
            entries[head] = nil
            head += 1
            if head > 64, head * 2 > entries.count {
                entries.removeFirst(head)
                head = 0
            }
            frameBytes -= entry.frameBytes
            audioBytes -= entry.audioBytes
            return entry
        }
    }

    private let state: ConditionLock<State>
    private let memory: WriteMemory
    private let waitsForRoom: Bool

    /// Maximum number of queued items in simulated time. Simulated frames are small, so a limit in bytes
    /// isn't needed.
    private static var simulatedCapacity: Int { 1024 }

    init(memory: WriteMemory, waitsForRoom: Bool) {
        state = ConditionLock(State(batchingTime: memory.limits.initialBatchingTime))
        self.memory = memory
        self.waitsForRoom = waitsForRoom
    }

    /// Number of queued bytes.
    var byteCount: Int { state.withLock { $0.frameBytes + $0.audioBytes } }

    /// Time for which the next item has waited for the disk. This time is measured with a real-time clock,
    /// because a disk isn't slow in simulated time. The batching time is not included, because it isn't a
    /// delay caused by the disk.
    var age: Nanoseconds {
        let begin = state.withLock { state in
            state.isDraining ? state.oldest.map { $0.since + state.batchingTime } : nil
        }
        return begin.map { max(RealTime.clock.now - $0, .zero) } ?? .zero
    }

    /// Adds an item if there is enough space.
    ///
    /// - Returns: `false` if the item didn't fit in the queue. Items offered after `finish` are dropped, and
    ///   `true` is returned.
    func offer(_ item: Item, bytes: Int, as kind: Kind) -> Bool {
        let now = RealTime.clock.now
        if waitsForRoom {
            state.wait { $0.isFinished || $0.count < Self.simulatedCapacity ? () : nil }
        }
        let (memory, isBounded) = (memory, !waitsForRoom)
        let limits = memory.limits
        var wakes = false
        let isTaken = state.withLock { state in
            guard !state.isFinished else { return true }
            var (frames, audio) = (0, 0)
            switch kind {
            case .frame(let least):
                guard isBounded else { break }
                guard memory.reserve(bytes, file: state.frameBytes, least: least) else {
                    (wakes, state.isDraining) = (!state.isDraining, true)
                    return false
                }
                frames = bytes
            case .audio:
                guard isBounded else { break }
                guard limits.hasRoom(forAudio: bytes, file: state.audioBytes) else {
                    (wakes, state.isDraining) = (!state.isDraining, true)
                    return false
                }
                audio = bytes
            case .command: break
            }
            state.frameBytes += frames
            state.audioBytes += audio
            state.entries.append(
                Entry(item: item, since: now, frameBytes: frames, audioBytes: audio))
            guard !state.isDraining else { return true }
            let isGathered =
                state.frameBytes + state.audioBytes >= limits.batchBytes
                || state.count >= state.maxBatchCount
                || state.oldest.map { now - $0.since >= state.batchingTime } ?? false
            if case .command = kind { wakes = true } else { wakes = isGathered || !isBounded }
            state.isDraining = wakes
            return true
        }
        if wakes { state.broadcast { _ in } }
        return isTaken
    }

    /// Waits for the next item. Returns `nil` when the queue is finished and empty.
    ///
    /// - Parameter rhythm: Predicts the next write of the file, or returns `nil` if the next write can't be
    ///   predicted. This closure is called when the queue is empty.
    /// - Returns: The oldest item in the queue.
    func next(_ rhythm: () -> WriteSchedule? = { nil }) -> Item? {
        let limits = memory.limits
        let entry: Entry? = state.wait { state -> Entry?? in
            if state.isDraining || state.isFinished, let entry = state.popFirst() { return .some(entry) }
            if state.isDraining {
                state.isDraining = false
                let rhythm = rhythm()
                state.batchingTime = rhythm.map { limits.batchingTime($0) } ?? limits.initialBatchingTime
                state.maxBatchCount = rhythm?.remainingPackets ?? .max
            }
            return state.isFinished ? .some(nil) : nil
        }
        if let entry, entry.frameBytes > 0 { memory.release(entry.frameBytes) }
        if waitsForRoom { state.broadcast { _ in } }
        return entry?.item
    }

    /// Ends the queue. Further items are dropped.
    func finish() {
        state.broadcast { $0.isFinished = true }
    }
}

private enum RealTime {
    static let clock = MonotonicClock()
}

/// Transfers a value that is not `Sendable` to the single thread that uses it.
package struct Carried<Value>: @unchecked Sendable {
    // The sender transfers ownership (`sending`), and only the receiving thread reads the value.
    /// The value, which only the receiving thread may use.
    package let value: Value

    /// Wraps a value from its sender.
    package init(_ value: sending Value) {
        self.value = value
    }
}
