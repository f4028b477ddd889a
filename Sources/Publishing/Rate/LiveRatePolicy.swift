internal import Media

/// What an own encoder makes for a network that takes less than it should: less bit rate first, then fewer frames, then smaller ones. It
/// rises again slowly. A pure value, asked once a second.
struct LiveRatePolicy {
    /// What one second was like.
    struct Measurement: Equatable {
        /// How long the oldest bytes have waited, in the queue and in the protocol together.
        var waiting = Nanoseconds.zero
        /// Frames that the queue has dropped in this second.
        var droppedFrames: Int64 = 0
        /// The share of SRT's packets that were lost at first; 0 where the protocol does not tell.
        var lostShare = 0.0
        /// Round trip time; `nil` where the protocol does not tell.
        var roundTrip: Nanoseconds?
        /// Bits that went out in this second.
        var sentBits = 0
    }

    /// What the encoder makes.
    struct Level: Equatable {
        var size: FrameSize
        var rate: FrameRate
        var bitrate: Int
    }

    /// What was asked for.
    let full: Level
    /// What the network takes now.
    private(set) var level: Level
    /// Seconds since the last step down, and since the last second of strain or step up.
    private var settled = 0
    private var eased = 0
    private var isHalfRate = false
    private var isHalfSize = false
    /// The shortest round trip so far: what is above it is a queue in the network.
    private var shortest: Nanoseconds?

    /// Waiting bytes that are a strain.
    private static let strain = Nanoseconds.milliseconds(400)
    /// Waiting bytes at which the network has room.
    private static let ease = Nanoseconds.milliseconds(150)
    /// A share of lost packets that sending again does not heal any more.
    private static let mostLost = 0.15
    /// By how much a round trip may exceed the shortest one.
    private static let mostRoundTrip = Nanoseconds.milliseconds(200)
    /// Seconds for which a step down is given time to show.
    private static let settling = 2
    /// Seconds of ease before a step up.
    private static let easing = 10

    /// Begins with what was asked for.
    init(_ full: Level) { (self.full, level) = (full, full) }

    /// Judges a second.
    ///
    /// - Returns: What the encoder is to make.
    mutating func update(_ measurement: Measurement) -> Level {
        settled += 1
        if let roundTrip = measurement.roundTrip { shortest = min(shortest ?? roundTrip, roundTrip) }
        let queued = (measurement.roundTrip ?? .zero) - (shortest ?? .zero)
        let isFull =
            measurement.waiting > Self.strain || measurement.droppedFrames > 0
            || queued > Self.mostRoundTrip
        if isFull || measurement.lostShare > Self.mostLost {
            eased = 0
            // Fewer or smaller frames do not heal losses that are no lack of room.
            if settled > Self.settling, isFull || level.bitrate > full.bitrate / 4 { lower(measurement) }
        } else if measurement.waiting < Self.ease {
            eased += 1
            if eased >= Self.easing {
                eased = 0
                rise()
            }
        } else {
            eased = 0
        }
        return level
    }

    private mutating func lower(_ measurement: Measurement) {
        settled = 0
        let least = full.bitrate / 4
        if level.bitrate > least {
            // What went out in a second of strain is what the network takes: no need to find it by steps.
            let taken = measurement.waiting > Self.strain ? measurement.sentBits * 9 / 10 : level.bitrate
            level.bitrate = max(least, min(level.bitrate * 3 / 4, max(taken, least)))
        } else if !isHalfRate {
            isHalfRate = true
            level.rate = FrameRate(full.rate.frames, per: full.rate.seconds * 2)
        } else if !isHalfSize {
            isHalfSize = true
            level.size = FrameSize(width: full.size.width / 4 * 2, height: full.size.height / 4 * 2)
        }
    }

    private mutating func rise() {
        if isHalfSize {
            isHalfSize = false
            level.size = full.size
        } else if isHalfRate {
            isHalfRate = false
            level.rate = full.rate
        } else {
            level.bitrate = min(full.bitrate, level.bitrate + full.bitrate / 10)
        }
    }
}
