internal import Media

/// Hands what is to be written to one file's thread, in order and bounded in bytes.
///
/// Nobody waits for the disk: what finds no room is refused. In simulated time, which would else outrun every disk, whoever
/// brings something waits instead.
///
/// The file's thread is woken for a tenth of a second of pictures or sound, not for each: to wake a thread costs as much as to
/// write some hundred kilobytes.
final class WriteQueue<Item: Sendable>: Sendable {
    enum Kind: Sendable {
        /// Takes its room from what all files share; `ample` where it begins a row.
        case picture(least: WriteLimits.Room)
        case sound
        /// Small, and never refused.
        case order
    }

    private struct Entry {
        let item: Item
        let since: ClockTime
        let pictureBytes: Int
        let soundBytes: Int
    }

    private struct State {
        /// In the order of coming, from `head` on.
        var entries: [Entry?] = []
        var head = 0
        var pictureBytes = 0
        var soundBytes = 0
        var isFinished = false
        /// The file's thread takes all that there is; it sleeps again once there is nothing.
        var isWoken = false

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
            pictureBytes -= entry.pictureBytes
            soundBytes -= entry.soundBytes
            return entry
        }
    }

    private let state = Monitor(State())
    private let memory: WriteMemory
    private let waitsForRoom: Bool

    /// How much waits in simulated time, whose pictures are small.
    private static var simulatedRoom: Int { 1024 }

    init(memory: WriteMemory, waitsForRoom: Bool) {
        self.memory = memory
        self.waitsForRoom = waitsForRoom
    }

    /// What waits, in bytes.
    var byteCount: Int { state.withLock { $0.pictureBytes + $0.soundBytes } }

    /// How long the next item has waited for the disk, by the real clock: disks are slow in real time only. What was gathered before
    /// the file's thread was woken does not count.
    var age: Nanoseconds {
        guard let since = state.withLock({ $0.oldest?.since }) else { return .zero }
        return max(RealTime.clock.now - since - memory.limits.gatheringTime, .zero)
    }

    /// Adds an item if it finds room.
    ///
    /// - Returns: `false` when it did not. What comes after `finish` is dropped without a word.
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
            var (pictures, sound) = (0, 0)
            switch kind {
            case .picture(let least):
                guard isBounded else { break }
                guard memory.claim(bytes, file: state.pictureBytes, least: least) else {
                    (wakes, state.isWoken) = (!state.isWoken, true)
                    return false
                }
                pictures = bytes
            case .sound:
                guard isBounded else { break }
                guard limits.hasRoom(forSound: bytes, file: state.soundBytes) else {
                    (wakes, state.isWoken) = (!state.isWoken, true)
                    return false
                }
                sound = bytes
            case .order: break
            }
            state.pictureBytes += pictures
            state.soundBytes += sound
            state.entries.append(
                Entry(item: item, since: now, pictureBytes: pictures, soundBytes: sound))
            guard !state.isWoken else { return true }
            let isGathered =
                state.pictureBytes + state.soundBytes >= limits.gatheringBytes
                || state.oldest.map { now - $0.since >= limits.gatheringTime } ?? false
            if case .order = kind { wakes = true } else { wakes = isGathered || !isBounded }
            state.isWoken = wakes
            return true
        }
        if wakes { state.broadcast { _ in } }
        return isTaken
    }

    /// Sleeps until there is an item. `nil` once the queue is finished and empty.
    func next() -> Item? {
        let entry: Entry? = state.wait { state -> Entry?? in
            if state.isWoken || state.isFinished, let entry = state.takeFirst() { return .some(entry) }
            state.isWoken = false
            return state.isFinished ? .some(nil) : nil
        }
        if let entry, entry.pictureBytes > 0 { memory.giveBack(entry.pictureBytes) }
        if waitsForRoom { state.broadcast { _ in } }
        return entry?.item
    }

    func finish() {
        state.broadcast { $0.isFinished = true }
    }
}

private enum RealTime {
    static let clock = MonotonicClock()
}
