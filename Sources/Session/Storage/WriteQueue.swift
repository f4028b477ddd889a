internal import Media

/// Hands what is to be written to one file's thread, in order and bounded in bytes.
///
/// Nobody waits for the disk: what finds no room is refused. In simulated time, which would else outrun every disk, whoever
/// brings something waits instead.
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

        var count: Int { entries.count - head }

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

    /// How long the next item has waited, by the real clock: disks are slow in real time only.
    var age: Nanoseconds {
        let oldest = state.withLock { $0.head < $0.entries.count ? $0.entries[$0.head]?.since : nil }
        return oldest.map { RealTime.clock.now - $0 } ?? .zero
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
        return state.broadcast { state in
            guard !state.isFinished else { return true }
            var (pictures, sound) = (0, 0)
            switch kind {
            case .picture(let least):
                guard isBounded else { break }
                guard memory.claim(bytes, file: state.pictureBytes, least: least) else { return false }
                pictures = bytes
            case .sound:
                guard isBounded else { break }
                guard memory.limits.hasRoom(forSound: bytes, file: state.soundBytes) else { return false }
                sound = bytes
            case .order: break
            }
            state.pictureBytes += pictures
            state.soundBytes += sound
            state.entries.append(
                Entry(item: item, since: now, pictureBytes: pictures, soundBytes: sound))
            return true
        }
    }

    /// Sleeps until there is an item. `nil` once the queue is finished and empty.
    func next() -> Item? {
        let entry: Entry? = state.wait { state -> Entry?? in
            if let entry = state.takeFirst() { return .some(entry) }
            return state.isFinished ? .some(nil) : nil
        }
        if let entry, entry.pictureBytes > 0 { memory.giveBack(entry.pictureBytes) }
        state.broadcast { _ in }
        return entry?.item
    }

    func finish() {
        state.broadcast { $0.isFinished = true }
    }
}

private enum RealTime {
    static let clock = MonotonicClock()
}
