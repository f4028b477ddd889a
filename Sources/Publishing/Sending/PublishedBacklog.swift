internal import Inputs
internal import Media

/// The items that wait for a destination, and which of them are dropped. A pure value: time comes with each call.
///
/// When it is full, frames are dropped up to the next key frame, so that what is sent can always be decoded. Of raw frames the newest
/// are kept.
struct PublishedBacklog {
    private struct Waiting {
        let item: PublishedItem
        let since: ClockTime
    }

    private var waiting: [Waiting] = []
    private var head = 0
    private var byteCount = 0
    /// Whether frames are dropped until the next key frame.
    private var awaitsKey = true
    /// Decoding time of the frame with which it began since `restart`; `nil` before one came.
    private var origin: ClockTime?
    private var lastVideo: ClockTime?
    private var lastAudio: ClockTime?
    /// Number of frames that were dropped.
    private(set) var droppedFrames: Int64 = 0
    /// What a connection begins with may have waited so long for it. What is longer would stay the viewers' delay.
    private let longestLead: Nanoseconds

    /// The oldest item may wait so long.
    static let longest = Nanoseconds.seconds(2)
    /// Most bytes that wait.
    static let mostBytes = 16 << 20
    /// Most raw frames that wait.
    static let mostRawFrames = 3

    /// Half a second: what a connection takes within a continent, while a key frame comes every two seconds.
    static let usualLead = Nanoseconds.milliseconds(500)

    /// - Parameter longestLead: How old what a connection begins with may be.
    init(longestLead: Nanoseconds = usualLead) { self.longestLead = longestLead }

    var isEmpty: Bool { head == waiting.count }

    /// How long the oldest item has waited.
    func age(at now: ClockTime) -> Nanoseconds { isEmpty ? .zero : now - waiting[head].since }

    /// Takes an item in, or drops it.
    mutating func offer(_ item: PublishedItem, at now: ClockTime) {
        let hasRoom = age(at: now) < Self.longest && byteCount + item.byteCount <= Self.mostBytes
        switch item {
        case .video(let packet):
            guard hasRoom, packet.isKey || !awaitsKey, lastVideo.map({ packet.decodedAt > $0 }) ?? true else {
                awaitsKey = true
                droppedFrames += 1
                return
            }
            awaitsKey = false
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

    /// Takes in what comes while there is no connection: packets from the newest key frame on, as long as a connection could begin with
    /// them. Raw frames and samples are dropped.
    mutating func prepare(_ item: PublishedItem, at now: ClockTime) {
        guard case .video(let packet) = item else {
            if case .audio = item { offer(item, at: now) } else if item.isVideo { droppedFrames += 1 }
            return
        }
        if packet.isKey || age(at: now) > longestLead { restart() }
        offer(item, at: now)
    }

    /// A connection begins: with what waits, unless that is too old.
    mutating func begin(at now: ClockTime) {
        if age(at: now) > longestLead { restart() }
    }

    /// Takes the oldest item out.
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

    /// Drops the frames up to the next key frame, since the protocol has dropped a part of those before them.
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
        awaitsKey = awaitsKey || !isFound
    }

    /// Drops all that waits: what comes next begins with a key frame.
    mutating func restart() {
        droppedFrames += Int64(waiting[head...].count { $0.item.isVideo })
        (waiting, head, byteCount) = ([], 0, 0)
        (awaitsKey, origin) = (true, nil)
    }
}
