internal import Media

/// Relates the time stamps of a network stream to CLOCK_MONOTONIC.
///
/// Stamps alone have a rate and no origin. Two things give one: the camera's wall clock, where it sends that with its frames and it
/// agrees with this computer's; else the frames that came fastest of the last seconds, less the time that the way takes at least.
/// A value: time is an argument.
struct StreamClock {
    /// Who dates the frames. It is decided once, so that no frame jumps.
    private(set) var origin: TimeOrigin?
    /// Time that the fastest frame takes from the start of exposure to its arrival, as far as it is known without a wall clock.
    var way: Nanoseconds
    /// The part of the way after a frame has come, until it is known to be complete.
    var assembly = Nanoseconds.zero
    /// From stamps to CLOCK_MONOTONIC.
    private var offset = Nanoseconds.zero
    /// The least way from stamp to arrival, by seconds of arrival.
    private var least: [(second: Int64, offset: Nanoseconds)] = []
    private var last: (stamp: Nanoseconds, arrival: ClockTime)?
    /// From stamps to CLOCK_MONOTONIC by the camera's wall clock.
    private var wall: Nanoseconds?
    /// How far the camera's wall clock has been set since the decision.
    private var step = Nanoseconds.zero
    /// By how much it has been set, until that is taken.
    private var news: Nanoseconds?
    /// When it was told last that it has been set.
    private var told: ClockTime?
    private var followed: ClockTime?

    /// Seconds of which the fastest frames are kept: 100 ppm of drift are a millisecond in so long.
    private static let window = 10
    /// A stamp that goes on otherwise than the arrivals by so much does not count the same time any longer.
    private static let jump = Nanoseconds.seconds(1)
    /// A wall clock that is off by so much at once has been set.
    private static let set = Nanoseconds.milliseconds(50)
    /// Stamps do not go back further than this where frames come in another order than they are shown.
    private static let reordering = Nanoseconds.milliseconds(150)
    /// Pause from one telling that a wall clock has been set to the next.
    private static let pause = Nanoseconds.seconds(10)
    /// Ways that are believed of a wall clock. A camera whose clock is off has others.
    private static let believed = Nanoseconds.milliseconds(-5)...Nanoseconds.seconds(2)
    /// By how much the dates follow per second: more than any clock drifts, and too little to be seen.
    private static let slew = 0.002
    /// How exact a camera's reports of its clock are: some tell when a frame was sent, not when it was captured.
    private static let report = Nanoseconds.milliseconds(10)
    /// What a camera's own processing may take, which nothing tells.
    private static let unknownWay = Nanoseconds.milliseconds(200)

    /// - Parameter way: Time that the fastest frame takes at least.
    init(way: Nanoseconds = .zero) { self.way = way }

    /// Takes note of a frame or audio.
    ///
    /// - Parameters:
    ///   - stamp: Its time stamp in the stream.
    ///   - arrival: When it came.
    ///   - isRebased: Whether the stamps may count another time from here on.
    /// - Returns: Whether they do.
    @discardableResult
    mutating func note(_ stamp: Nanoseconds, arrival: ClockTime, isRebased: Bool = false) -> Bool {
        let jump = jump(to: stamp, arrival: arrival, isRebased: isRebased)
        if let jump {
            // It goes on where the arrivals are.
            offset = offset - jump
            wall = wall.map { $0 - jump }
            least = least.map { ($0.second, $0.offset - jump) }
        }
        last = (stamp, arrival)
        let second = arrival.nanoseconds / 1_000_000_000
        let distance = Nanoseconds(arrival.nanoseconds) - stamp
        if let index = least.firstIndex(where: { $0.second == second }) {
            least[index].offset = min(least[index].offset, distance)
        } else {
            least.append((second, distance))
            least.removeAll { $0.second < second - Int64(Self.window) }
        }
        if origin == .arrival, let fastest { follow(fastest - way, at: arrival) }
        return jump != nil
    }

    /// By how much stamps go on otherwise than the arrivals, where they count another time: those of several streams follow the camera's
    /// wall clock, when that is set. `nil` where they go on.
    private func jump(to stamp: Nanoseconds, arrival: ClockTime, isRebased: Bool) -> Nanoseconds? {
        guard let last else { return nil }
        let step = stamp - last.stamp
        let apart = step - (arrival - last.arrival)
        guard apart.magnitude > Self.set else { return nil }
        // A network that holds frames back makes none come before its capture.
        let isEarly = origin == .wallClock && time(of: stamp) - arrival > Self.set
        let isJump = apart.magnitude > Self.jump && (step.magnitude > Self.jump || step < .zero)
        let goesBack = step < .zero - Self.reordering
        return isRebased || isJump || isEarly || goesBack ? apart : nil
    }

    /// Takes note of a frame's capture by the camera's wall clock.
    ///
    /// - Parameters:
    ///   - stamp: Its time stamp in the stream.
    ///   - time: The camera's wall clock at the capture, on CLOCK_MONOTONIC by this computer's wall clock.
    ///   - arrival: When it came.
    mutating func note(_ stamp: Nanoseconds, captured time: ClockTime, arrival: ClockTime) {
        let distance = Nanoseconds(time.nanoseconds) - stamp
        wall = distance
        guard origin == .wallClock else { return }
        let change = distance - step - offset
        if change.magnitude > Self.set {
            step = distance - offset
            if told.map({ arrival - $0 >= Self.pause }) ?? true { (news, told) = (change, arrival) }
        }
        follow(distance - step, at: arrival)
    }

    /// By how much the camera's wall clock has been set against this computer's, forward or back, since this was asked last; `nil` where it
    /// has not, or that was told a short while ago.
    mutating func takeSetting() -> Nanoseconds? {
        defer { news = nil }
        return news
    }

    private var fastest: Nanoseconds? { least.map(\.offset).min() }

    /// The way of the fastest frames by the camera's wall clock; `nil` where it has none, or one that is off.
    var measuredWay: Nanoseconds? {
        guard let wall, let fastest, Self.believed.contains(fastest - wall) else { return nil }
        return fastest - wall
    }

    /// Decides who dates from now on.
    mutating func decide() {
        if let way = measuredWay, let wall {
            (origin, offset, self.way) = (.wallClock, wall, max(way, .zero))
        } else {
            (origin, offset) = (.arrival, (fastest ?? .zero) - way)
        }
    }

    /// When a frame was captured.
    func time(of stamp: Nanoseconds) -> ClockTime { ClockTime(nanoseconds: (stamp + offset).count) }

    /// How far off capture times may be.
    ///
    /// A wall clock that agrees is off by the measured way at most, were it slow: no frame arrives before its capture. Without one,
    /// nothing tells how long the camera itself takes.
    var error: Nanoseconds {
        origin == .wallClock ? max(way - assembly, Self.report) : Self.unknownWay
    }

    private mutating func follow(_ target: Nanoseconds, at time: ClockTime) {
        let passed = followed.map { min(max(time - $0, .zero), .seconds(1)) } ?? .zero
        followed = time
        let most = Nanoseconds.seconds(rounding: passed.inSeconds * Self.slew)
        offset = offset + min(max(target - offset, -most), most)
    }
}
