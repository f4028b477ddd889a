internal import MulticamInputs
internal import MulticamMedia

/// Queue of items for a live output. The queue also decides which items to drop. `PublishedBacklog` is a
/// value type without side effects: the current time is passed to each call.
///
/// When the queue is full, encoded frames are dropped up to the next key frame, so that the remaining frames
/// can always be decoded. If the queue holds raw frames, only the newest ones are kept.
struct PublishedBacklog {
    private struct Waiting {
        let item: PublishedItem
        let since: ClockTime
    }

    private var waiting: [Waiting] = []
    private var head = 0
    private var byteCount = 0
    /// Whether frames are being dropped until the next key frame.
    private var waitsForKey = true
    /// Decoding time of the first frame since `restart`; `nil` until a frame arrives.
    private var origin: ClockTime?
    private var lastVideo: ClockTime?
    private var lastAudio: ClockTime?
    /// Number of dropped frames.
    private(set) var droppedFrames: Int64 = 0
    /// Maximum age of the first item of a connection. An older item would permanently increase the delay for
    /// viewers.
    private let longestLead: Nanoseconds

    /// Maximum age of the oldest item in the queue.
    static let maxAge = Nanoseconds.seconds(2)
    /// Maximum number of bytes in the queue.
    static let mostBytes = 16 << 20
    /// Maximum number of raw frames in the queue.
    static let mostRawFrames = 3

    /// Default maximum age of the first item of a connection. Connecting to a server on the same continent
    /// takes up to half a second, and key frames arrive every two seconds.
    static let usualLead = Nanoseconds.milliseconds(500)

    /// Creates an empty queue.
    ///
    /// - Parameter longestLead: Maximum age of the first item of a connection.
    init(longestLead: Nanoseconds = usualLead) { self.longestLead = longestLead }

    var isEmpty: Bool { head == waiting.count }

    /// Returns the age of the oldest item.
    func age(at now: ClockTime) -> Nanoseconds { isEmpty ? .zero : now - waiting[head].since }

    /// Enqueues an item, or drops it.
    mutating func offer(_ item: PublishedItem, at now: ClockTime) {
        let hasRoom = age(at: now) < Self.maxAge && byteCount + item.byteCount <= Self.mostBytes
        switch item {
        case .video(let packet):
            guard hasRoom, packet.isKey || !waitsForKey, lastVideo.map({ packet.decodedAt > $0 }) ?? true
            else {
                waitsForKey = true
                droppedFrames += 1
                return
            }
            waitsForKey = false
            lastVideo = packet.decodedAt
            origin = origin ?? packet.decodedAt
        case .audio(let packet):
            guard hasRoom, let origin, packet.presentedAt >= origin,
                lastAudio.map({ packet.presentedAt > $0 }) ?? true
            else { return }
            lastAudio = packet.presentedAt
        case .frame:
            let frames = waiting.indices[head...].filter { waiting[$0].item.isVideo }
            if frames.count >= Self.mostRawFrames, let oldest = frames.first {
                byteCount -= waiting.remove(at: oldest).item.byteCount
                droppedFrames += 1
            }
        case .samples: guard hasRoom else { return }
        }
        waiting.append(Waiting(item: item, since: now))
        byteCount += item.byteCount
    }

    /// Enqueues an item while there is no connection. The packets since the newest key frame are kept if a
    /// connection could still start with that key frame. Raw frames and samples are dropped.
    mutating func prepare(_ item: PublishedItem, at now: ClockTime) {
        guard case .video(let packet) = item else {
            if case .audio = item { offer(item, at: now) } else if item.isVideo { droppedFrames += 1 }
            return
        }
        if packet.isKey || age(at: now) > longestLead { restart() }
        offer(item, at: now)
    }

    /// Prepares the queue for a new connection. If the queued items are too old, they are dropped.
    mutating func begin(at now: ClockTime) {
        if age(at: now) > longestLead { restart() }
    }

    /// Dequeues the oldest item.
    mutating func next() -> PublishedItem? {
        guard !isEmpty else { return nil }
        let item = waiting[head].item
        head += 1
        byteCount -= item.byteCount
        if isEmpty || head > 64 {
            waiting.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Drops frames up to the next key frame, because the protocol implementation has dropped some of the
    /// preceding frames.
    mutating func skipToKey() {
        var isFound = false
        let kept = waiting[head...].filter { waiting in
            guard case .video(let packet) = waiting.item else { return true }
            isFound = isFound || packet.isKey
            return isFound
        }
        droppedFrames += Int64(waiting.count - head - kept.count)
        byteCount = kept.reduce(0) { $0 + $1.item.byteCount }
        (waiting, head) = (Array(kept), 0)
        waitsForKey = waitsForKey || !isFound
    }

    /// Drops all queued items. The next item must be a key frame.
    mutating func restart() {
        droppedFrames += Int64(waiting[head...].count { $0.item.isVideo })
        (waiting, head, byteCount) = ([], 0, 0)
        (waitsForKey, origin) = (true, nil)
    }
}
