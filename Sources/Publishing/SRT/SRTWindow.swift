internal import Media

/// How many bytes may be under way to an SRT receiver. A pure value: figures and time come with each call.
///
/// SRT's live mode sends what it gets at once. Where a link takes less than comes, its queue overflows, and the receiver passes over what is
/// missing: half frames. This window keeps the link's queue short instead: what has no room waits in the publication's own queue, which
/// drops whole frames up to a key frame. It follows the delay, not losses, which are no lack of room (as TCP Vegas does, Brakmo 1995).
struct SRTWindow {
    /// What libsrt tells of a connection.
    struct Figures {
        /// Bytes that the receiver has acknowledged since the connection began.
        var acknowledged: Int64 = 0
        /// Round trip time, smoothed.
        var roundTrip = Nanoseconds.zero
        /// Packets that were sent, and of these lost at first, since the connection began.
        var sent: Int64 = 0
        var lost: Int64 = 0
    }

    /// Most bytes under way; `nil` while the link takes what comes.
    private(set) var most: Int?
    /// How often the receiver must have passed over something, since what was lost could not come again in time.
    private(set) var overloads: Int64 = 0

    private let latency: Nanoseconds
    /// The longest queue in the network, as time.
    private let longest: Nanoseconds
    /// Shortest round trip of this epoch, and of the one before: a route may become longer.
    private var shortest: (now: Nanoseconds?, before: Nanoseconds?, since: ClockTime)
    private var stretch: (since: ClockTime, figures: Figures)
    private var changed: ClockTime

    /// What the link takes is measured for so long.
    private static let stretchLength = Nanoseconds.milliseconds(200)
    private static let epochLength = Nanoseconds.seconds(15)
    /// At least a few packets are under way, and no limit is above what any live stream needs.
    private static let least = 3 * 1316
    private static let unlimited = 4 << 20

    /// - Parameters:
    ///   - latency: How long the receiver keeps packets.
    ///   - now: When the connection began.
    init(latency: Nanoseconds, at now: ClockTime) {
        self.latency = latency
        longest = max(.milliseconds(40), latency / 2)
        shortest = (nil, nil, now)
        stretch = (now, Figures())
        changed = now
    }

    /// Takes what is known now.
    ///
    /// - Parameters:
    ///   - figures: What libsrt tells.
    ///   - isLimited: Whether something waits for room.
    ///   - now: The present instant.
    mutating func update(_ figures: Figures, isLimited: Bool, at now: ClockTime) {
        let base = shortest(with: figures.roundTrip, at: now)
        let queued = figures.roundTrip - base
        let elapsed = now - stretch.since
        if elapsed >= Self.stretchLength {
            let taken = figures.acknowledged - stretch.figures.acknowledged
            let (lost, sent) = (figures.lost - stretch.figures.lost, figures.sent - stretch.figures.sent)
            // What is lost behind such a queue comes again too late.
            if lost * 50 > sent, queued > latency / 2 { overloads += 1 }
            if queued > longest {
                let fits = taken.rescaled(from: elapsed.count, to: (base + longest).count)
                most = min(max(Int(clamping: fits), Self.least), most ?? .max)
                changed = now
            }
            stretch = (now, figures)
        }
        guard let most, isLimited, queued <= longest, now - changed >= max(base + queued, .milliseconds(50))
        else { return }
        changed = now
        self.most = most < Self.unlimited ? most + most / 8 : nil
    }

    private mutating func shortest(with roundTrip: Nanoseconds, at now: ClockTime) -> Nanoseconds {
        if now - shortest.since >= Self.epochLength { shortest = (nil, shortest.now, now) }
        let current = min(shortest.now ?? roundTrip, roundTrip)
        shortest.now = current
        return min(current, shortest.before ?? current)
    }
}
