internal import Containers
internal import Media

/// Hands items to one file's thread, in order and bounded in bytes.
///
/// Nobody waits for the disk: an item that finds no room is refused. In simulated time, which would outrun every
/// disk, the caller waits instead.
///
/// The file's thread is woken for as many frames or as much audio as it writes at once, not for each item: to wake a
/// thread costs as much as to write some hundred kilobytes.
final class WriteQueue<Item: Sendable>: Sendable {
    /// The memory from which an item takes its room.
    enum Kind: Sendable {
        /// Takes room from the memory that all files share; `least` is `ample` when it begins a row of frames that
        /// need each other.
        case frame(least: WriteLimits.Room)
        case audio
        /// Takes no room, and is never refused.
        case order
    }

    private struct Entry {
        let item: Item
        let since: ClockTime
        let frameBytes: Int
        let audioBytes: Int
    }

    private struct State {
        /// The items in the order of coming, from `head` on.
        var entries: [Entry?] = []
        var head = 0
        var frameBytes = 0
        var audioBytes = 0
        var isFinished = false
        /// Whether the file's thread is awake: it takes all items, and sleeps again when there is none.
        var isWoken = false
        /// How long items are gathered before the file's thread is woken for them.
        var gatheringTime: Nanoseconds
        /// How many items are gathered at most.
        var gathered = Int.max

        init(gatheringTime: Nanoseconds) { self.gatheringTime = gatheringTime }

        var count: Int { entries.count - head }
        var oldest: Entry? { head < entries.count ? entries[head] : nil }

        mutating func takeFirst() -> Entry? {
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

    /// Most items that wait in simulated time, whose frames are small.
    private static var simulatedRoom: Int { 1024 }

    init(memory: WriteMemory, waitsForRoom: Bool) {
        state = ConditionLock(State(gatheringTime: memory.limits.firstGatheringTime))
        self.memory = memory
        self.waitsForRoom = waitsForRoom
    }

    /// Bytes of the items that wait.
    var byteCount: Int { state.withLock { $0.frameBytes + $0.audioBytes } }

    /// How long the next item has waited for the disk, on the real clock, since disks are slow in real time only. The
    /// time of gathering does not count: until it is woken, the file's thread keeps nothing waiting.
    var age: Nanoseconds {
        let begin = state.withLock { state in
            state.isWoken ? state.oldest.map { $0.since + state.gatheringTime } : nil
        }
        return begin.map { max(RealTime.clock.now - $0, .zero) } ?? .zero
    }

    /// Adds an item, if it finds room.
    ///
    /// - Returns: `false` when it found none. Items after `finish` are dropped silently.
    func offer(_ item: Item, bytes: Int, as kind: Kind) -> Bool {
        let now = RealTime.clock.now
        if waitsForRoom {
            state.wait { $0.isFinished || $0.count < Self.simulatedRoom ? () : nil }
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
                guard memory.claim(bytes, file: state.frameBytes, least: least) else {
                    (wakes, state.isWoken) = (!state.isWoken, true)
                    return false
                }
                frames = bytes
            case .audio:
                guard isBounded else { break }
                guard limits.hasRoom(forAudio: bytes, file: state.audioBytes) else {
                    (wakes, state.isWoken) = (!state.isWoken, true)
                    return false
                }
                audio = bytes
            case .order: break
            }
            state.frameBytes += frames
            state.audioBytes += audio
            state.entries.append(
                Entry(item: item, since: now, frameBytes: frames, audioBytes: audio))
            guard !state.isWoken else { return true }
            let isGathered =
                state.frameBytes + state.audioBytes >= limits.gatheringBytes
                || state.count >= state.gathered
                || state.oldest.map { now - $0.since >= state.gatheringTime } ?? false
            if case .order = kind { wakes = true } else { wakes = isGathered || !isBounded }
            state.isWoken = wakes
            return true
        }
        if wakes { state.broadcast { _ in } }
        return isTaken
    }

    /// Waits for the next item; `nil` once the queue is finished and empty.
    ///
    /// - Parameter rhythm: When the file writes next; asked when there is no item. `nil` where it does not know.
    /// - Returns: The item that came first.
    func next(_ rhythm: () -> WriteRhythm? = { nil }) -> Item? {
        let limits = memory.limits
        let entry: Entry? = state.wait { state -> Entry?? in
            if state.isWoken || state.isFinished, let entry = state.takeFirst() { return .some(entry) }
            if state.isWoken {
                state.isWoken = false
                let rhythm = rhythm()
                state.gatheringTime = rhythm.map { limits.gatheringTime($0) } ?? limits.firstGatheringTime
                state.gathered = rhythm?.packets ?? .max
            }
            return state.isFinished ? .some(nil) : nil
        }
        if let entry, entry.frameBytes > 0 { memory.giveBack(entry.frameBytes) }
        if waitsForRoom { state.broadcast { _ in } }
        return entry?.item
    }

    /// Ends the queue: further items are dropped.
    func finish() {
        state.broadcast { $0.isFinished = true }
    }
}

private enum RealTime {
    static let clock = MonotonicClock()
}
