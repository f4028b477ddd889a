package import MulticamMedia

/// Decides how automatic framing moves the visible part of one camera.
///
/// A value without clocks: every analysis of the camera's frames is an argument, with its time. The policy returns a new
/// motion if the picture has to move, and `nil` if it stays as it is or the current motion continues. Each motion begins
/// with the position, velocity, and acceleration of the previous one, so the movement is smooth.
///
/// - The picture doesn't move while people stay within a dead zone.
/// - A person who walks gets lead room in the direction of the movement, and a wider shot.
/// - After a person has disappeared, the picture waits before it closes in on the others, and after everyone has
///   disappeared, it waits before it shows the whole frame.
/// - A face whose picture never changes, such as one on a poster, is ignored after a while.
package struct FramingPolicy: Sendable {
    /// A person as the policy knows them.
    private struct Person {
        var id: Int
        /// Center and height of the face, as fractions of the frame, smoothed.
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        /// Whether the place is known; `false` between a turn of the camera and the next detection.
        var hasPlace = true
        /// Velocity of the center in fractions per second.
        var velocityX = 0.0
        var velocityY = 0.0
        /// Highest recent horizontal speed, which decays slowly, so that the size of the picture doesn't follow each turn.
        var speed = 0.0
        var firstSeen: ClockTime
        var lastSeen: ClockTime
        /// Last time at which the picture of the face changed.
        var lastActive: ClockTime
        /// Average activity over the last seconds, which is higher for a person who is speaking.
        var activity: Double
    }

    /// The place that the visible part should have.
    struct Target {
        var x: Double
        var y: Double
        var height: Double
        /// Horizontal velocity of the people if they walk, in fractions per second; otherwise 0.
        var velocity = 0.0
    }

    /// What should be visible after an analysis.
    enum Wish {
        /// The picture stays as it is: people have disappeared only recently.
        case hold
        /// The whole frame.
        case wide
        case place(Target)
    }

    private var people: [Person] = []
    /// The motion that was returned last.
    package private(set) var motion: FramingMotion
    private(set) var mode: FramingMode
    private var view: FramedView
    /// The person that the mode `speaker` follows, and since when.
    private var followed: (id: Int, since: ClockTime)?
    /// The person who has been more active than the followed one, and since when.
    private var challenger: (id: Int, since: ClockTime)?
    private var lastPresent: ClockTime?

    /// Height of the visible part, in heights of a face.
    private static let facesPerHeight = 4.5
    /// Vertical place of a face's center in the visible part, from its upper edge.
    private static let eyeLine = 0.42
    /// Space outside the outer faces of a group, in widths of a face.
    private static let sideRoom = 1.9
    /// Largest distances, in sizes of the visible part, by which people may move before the picture moves.
    private static let (restZone, movingZone) = (0.10, 0.03)
    /// Relative change of the desired size before the picture zooms.
    private static let (growth, shrinkage) = (1.06, 0.75)
    /// How long a person counts as present after the last frame that showed their face.
    private static let presence = Nanoseconds.milliseconds(2500)
    /// Time without people before the whole frame is shown.
    private static let patience = Nanoseconds.seconds(4)
    /// Lead room: the time by which the picture is ahead of a moving person, and its limit in widths of the visible part.
    private static let (leadTime, maxLead) = (0.25, 0.08)
    /// Shortest motions in seconds: for people who walk, and for all others. A motion that follows a walking person
    /// comes to rest where the person would be if they stopped gradually, and is replaced long before.
    private static let (walkingDuration, restingDuration) = (1.2, 0.8)
    /// Least time between two motions that follow a walking person.
    private static let walkingInterval = Nanoseconds.milliseconds(380)
    /// Limits of the movement in heights of the visible part per second, per second squared, and per second cubed.
    private static let (maxSpeed, maxAcceleration, maxJerk) = (1.6, 3.2, 24.0)
    /// Time in seconds for which the picture of a walking person stays wide after the person has stopped.
    private static let speedMemory = 3.0
    /// Slowest speed that counts as walking, in heights of the visible part per second.
    private static let walkingSpeed = 0.08
    /// Time for which a person must be more active than the followed one before the picture follows them, and the least
    /// time between two such changes.
    private static let (speakingTime, minShot) = (Nanoseconds.milliseconds(1500), Nanoseconds.seconds(4))
    /// How much more active the new speaker must be.
    private static let speakingRatio = 1.6
    /// Activity below which a face isn't alive, and the time after which such a face is ignored.
    private static let (liveActivity, posterTime) = (0.02, Nanoseconds.seconds(20))

    /// Creates a policy that begins with the whole frame.
    ///
    /// - Parameters:
    ///   - mode: People that the policy keeps in frame.
    ///   - view: The limits of the visible part.
    ///   - motion: The motion that the program shows at present; `nil` for the whole frame.
    package init(mode: FramingMode, view: FramedView, continuing motion: FramingMotion? = nil) {
        (self.mode, self.view) = (mode, view)
        self.motion = motion ?? .wide
    }

    /// Changes the people that the policy keeps in frame, or the limits of the visible part. If the program doesn't show the
    /// policy's last motion, because framing was off in the meantime, the policy begins again with what the program shows.
    ///
    /// - Parameters:
    ///   - mode: People that the policy keeps in frame.
    ///   - view: The limits of the visible part.
    ///   - shown: The motion that the program shows at present; `nil` for the whole frame.
    package mutating func adapt(to mode: FramingMode, _ view: FramedView, showing shown: FramingMotion?) {
        if (shown ?? .wide) != motion { self = FramingPolicy(mode: mode, view: view, continuing: shown) }
        if mode != self.mode { (followed, challenger) = (nil, nil) }
        (self.mode, self.view) = (mode, view)
    }

    /// Decides after an analysis of a frame.
    ///
    /// - Parameters:
    ///   - faces: The faces in the frame.
    ///   - capturedAt: Capture time of the frame, on the session clock.
    ///   - now: The time at which a new motion begins, on the session clock. It may be before `capturedAt` for a recording,
    ///     whose later frames are known.
    /// - Returns: The new motion, or `nil` if the current one continues.
    package mutating func update(
        _ faces: [DetectedFace], capturedAt: ClockTime, now: ClockTime
    ) -> FramingMotion? {
        switch wish(faces, capturedAt: capturedAt, now: now, limit: maxHeight) {
        case .hold: return nil
        case .wide: return move(to: widest, at: now)
        case .place(let target): return move(to: clamped(target), at: now)
        }
    }

    /// Decides after an analysis of a frame which part of the camera's picture should be visible. The part may extend beyond
    /// the frame.
    mutating func wish(
        _ faces: [DetectedFace], capturedAt: ClockTime, now: ClockTime, limit: Double
    ) -> Wish {
        record(faces, at: capturedAt)
        let present = presentPeople(at: capturedAt)
        if !present.isEmpty { lastPresent = capturedAt }
        if let target = target(for: present, at: now, limit: limit) { return .place(target) }
        if lastPresent == nil { lastPresent = capturedAt }
        guard let last = lastPresent, capturedAt - last >= Self.patience else { return .hold }
        return .wide
    }

    // MARK: People

    private mutating func record(_ faces: [DetectedFace], at time: ClockTime) {
        for face in faces {
            let (x, y) = (face.box.x + face.box.width / 2, face.box.y + face.box.height / 2)
            guard let index = people.firstIndex(where: { $0.id == face.id }) else {
                people.append(
                    Person(
                        id: face.id, x: x, y: y, width: face.box.width, height: face.box.height,
                        firstSeen: time, lastSeen: time, lastActive: time, activity: face.activity))
                continue
            }
            var person = people[index]
            let seconds = (time - person.lastSeen).inSeconds
            guard seconds > 0 else { continue }
            if seconds > 1.5 || !person.hasPlace {
                // After a long occlusion, the old velocity is meaningless.
                if seconds > (person.hasPlace ? 1.5 : 2.5) { (person.velocityX, person.velocityY) = (0, 0) }
                (person.x, person.y, person.hasPlace) = (x, y, true)
            } else {
                // An alpha-beta filter, whose prediction removes the lag of the smoothing.
                let (place, velocity) = (0.65, 0.35)
                let (predictedX, predictedY) = (
                    person.x + person.velocityX * seconds, person.y + person.velocityY * seconds
                )
                person.x = predictedX + place * (x - predictedX)
                person.y = predictedY + place * (y - predictedY)
                person.velocityX += velocity * (x - predictedX) / seconds
                person.velocityY += velocity * (y - predictedY) / seconds
            }
            person.speed = max(
                abs(person.velocityX), person.speed * max(0, 1 - seconds / Self.speedMemory))
            person.width += 0.3 * (face.box.width - person.width)
            person.height += 0.3 * (face.box.height - person.height)
            person.activity += min(1, seconds / 1.5) * (face.activity - person.activity)
            if face.activity >= Self.liveActivity { person.lastActive = time }
            person.lastSeen = time
            people[index] = person
        }
        people.removeAll { time - $0.lastSeen > Nanoseconds.seconds(10) }
    }

    private func presentPeople(at time: ClockTime) -> [Person] {
        people.filter { person in
            person.hasPlace && time - person.lastSeen <= Self.presence
                && person.lastSeen - person.lastActive < Self.posterTime
        }
    }

    /// Returns the people that the picture must contain.
    private mutating func chosen(_ present: [Person], at time: ClockTime) -> [Person] {
        guard mode == .speaker, present.count > 1 else {
            if mode == .speaker, let only = present.first, followed?.id != only.id {
                followed = (only.id, time)
            }
            return present
        }
        guard let current = present.first(where: { $0.id == followed?.id }), let since = followed?.since
        else {
            // The largest face is probably the camera's main subject.
            guard let largest = present.max(by: { $0.height < $1.height }) else { return [] }
            (followed, challenger) = ((largest.id, time), nil)
            return [largest]
        }
        let rival = present.filter { $0.id != current.id }.max { $0.activity < $1.activity }
        guard let rival, rival.activity > current.activity * Self.speakingRatio + Self.liveActivity else {
            challenger = nil
            return [current]
        }
        if challenger?.id != rival.id { challenger = (rival.id, time) }
        guard let began = challenger?.since, time - began >= Self.speakingTime, time - since >= Self.minShot
        else { return [current] }
        (followed, challenger) = ((rival.id, time), nil)
        return [rival]
    }

    /// The place of a person's face in the picture, as fractions of it, and its velocity per second.
    struct Place {
        var x: Double
        var y: Double
        var velocityX: Double
        var velocityY: Double
        var time: ClockTime
    }

    /// The last places of all known people by number.
    var places: [Int: Place] {
        Dictionary(
            people.map {
                (
                    $0.id,
                    Place(
                        x: $0.x, y: $0.y, velocityX: $0.velocityX, velocityY: $0.velocityY, time: $0.lastSeen)
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Forgets where people were in the picture, but not who they are and how they move, because the camera has turned.
    mutating func forgetPlaces() {
        for index in people.indices { people[index].hasPlace = false }
    }

    // MARK: Place

    private var widest: Target {
        Target(
            x: view.bounds.x + view.bounds.width / 2, y: view.bounds.y + view.bounds.height / 2,
            height: maxHeight)
    }

    /// Largest height of the visible part within the bounds.
    private var maxHeight: Double {
        min(view.bounds.height, view.bounds.width * view.frameRatio / view.ratio)
    }

    /// Width of a visible part of the given height, as a fraction of the frame's width.
    private func width(_ height: Double) -> Double { height * view.ratio / view.frameRatio }

    /// Returns the place for the visible part, whose height is at most `limit`; `nil` without people.
    private mutating func target(for present: [Person], at now: ClockTime, limit: Double) -> Target? {
        let shown = chosen(present, at: now)
        guard let tallest = shown.map(\.height).max() else { return nil }
        let left = shown.map { $0.x - $0.width * (0.5 + Self.sideRoom) }.min() ?? 0
        let right = shown.map { $0.x + $0.width * (0.5 + Self.sideRoom) }.max() ?? 1
        let top = shown.map { $0.y - $0.height * 1.4 }.min() ?? 0
        let bottom = shown.map { $0.y + $0.height * 2.2 }.max() ?? 1
        let ratio = view.ratio / view.frameRatio
        var height = max(Self.facesPerHeight * tallest, (right - left) / ratio, bottom - top)
        height = min(max(height, view.minHeight), limit)
        let count = Double(shown.count)
        let velocity = shown.map(\.velocityX).reduce(0, +) / count
        let velocityY = shown.map(\.velocityY).reduce(0, +) / count
        // Positions of all velocities are compared in sizes of the visible part.
        let speed = abs(velocity) / width(height)
        let isWalking = speed > Self.walkingSpeed
        let recent = (shown.map(\.speed).max() ?? 0) / width(height)
        if recent > Self.walkingSpeed { height = min(height * (1 + min(recent, 1.2) * 0.5), limit) }
        let age = shown.map({ max(0, (now - $0.lastSeen).inSeconds) }).min() ?? 0
        let maxLead = Self.maxLead * width(height)
        let lead = isWalking ? min(max(velocity * Self.leadTime, -maxLead), maxLead) : 0
        let x = (left + right) / 2 + velocity * min(age, 0.6) + lead
        let middle = shown.count == 1 ? shown[0].y : (top + bottom) / 2 - 0.4 * tallest
        let rise = abs(velocityY) / height > Self.walkingSpeed ? velocityY * min(age, 0.6) : 0
        let y = middle + rise + (0.5 - Self.eyeLine) * height
        return Target(x: x, y: y, height: height, velocity: isWalking ? velocity : 0)
    }

    /// Returns the target with a center that keeps the visible part within the bounds.
    private func clamped(_ target: Target) -> Target {
        func clamp(_ center: Double, _ half: Double, _ low: Double, _ length: Double) -> Double {
            half * 2 >= length ? low + length / 2 : min(max(center, low + half), low + length - half)
        }
        return Target(
            x: clamp(target.x, width(target.height) / 2, view.bounds.x, view.bounds.width),
            y: clamp(target.y, target.height / 2, view.bounds.y, view.bounds.height), height: target.height,
            velocity: target.velocity)
    }

    // MARK: Movement

    /// Returns a motion to a target, or `nil` if the visible part is already there or on its way there.
    private mutating func move(to target: Target, at now: ClockTime) -> FramingMotion? {
        let time = now.nanoseconds
        let end = clamped(
            Target(
                x: motion.x.place(at: 1), y: motion.y.place(at: 1),
                height: min(max(motion.height.place(at: 1), view.minHeight), maxHeight)))
        let isMoving = !motion.hasEnded(at: time)
        let zone = isMoving ? Self.movingZone : Self.restZone
        let isPlaced =
            abs(target.x - end.x) <= zone * width(end.height) && abs(target.y - end.y) <= zone * end.height
        let size = target.height / end.height
        let isSized = isMoving ? abs(size - 1) < 0.08 : (Self.shrinkage...Self.growth).contains(size)
        if target.velocity != 0, isMoving {
            guard time - motion.from_ns >= Self.walkingInterval.count else { return nil }
        } else {
            guard !isPlaced || !isSized else { return nil }
        }
        var target = target
        // A picture that only has to move keeps its size.
        if isSized { target.height = end.height }
        target = clamped(target)
        let next = plan(to: target, at: time)
        motion = next
        return next
    }

    private func plan(to target: Target, at time: Int64) -> FramingMotion {
        let seconds = Double(motion.duration_ns) / 1e9
        let share = motion.share(at: time)
        func state(_ curve: FramingMotion.Curve) -> FramingMotion.State {
            share >= 1
                ? FramingMotion.State(place: curve.place(at: 1)) : curve.state(at: share, seconds: seconds)
        }
        let (x, y, height) = (state(motion.x), state(motion.y), state(motion.height))
        let unit = max(min(height.place, target.height), 0.02)
        func curves(_ seconds: Double) -> [(curve: FramingMotion.Curve, end: Double, unit: Double)] {
            var target = target
            target.x += target.velocity * seconds / 2
            target = clamped(target)
            return [
                (.init(from: x, to: target.x, seconds: seconds), target.x, width(unit)),
                (.init(from: y, to: target.y, seconds: seconds), target.y, unit),
                (.init(from: height, to: target.height, seconds: seconds), target.height, unit),
            ]
        }
        let isSteady = target.velocity * x.velocity > 0
        let shortest = !isSteady ? Self.restingDuration : Self.walkingDuration
        // The shortest duration within the limits; if none is, the one that exceeds them least.
        var best = (seconds: 1.0, excess: Double.infinity)
        for step in 0...34 {
            let seconds = shortest + Double(step) * 0.1
            let excess =
                curves(seconds).map { Self.excess($0.curve, to: $0.end, unit: $0.unit, seconds) }.max() ?? 0
            if excess < best.excess { best = (seconds, excess) }
            if excess <= 1 { break }
        }
        let chosen = curves(best.seconds)
        var motion = FramingMotion(
            from: time, duration: Nanoseconds(Int64(rounding: best.seconds * 1e9)),
            x: chosen[0].curve.rounded, y: chosen[1].curve.rounded, height: chosen[2].curve.rounded,
            ratio: view.ratio, bounds: view.bounds)
        motion.min_height = view.minHeight
        return motion
    }

    /// Returns by which factor a curve exceeds the limits of the movement; at most 1 if it doesn't.
    private static func excess(
        _ curve: FramingMotion.Curve, to end: Double, unit: Double, _ seconds: Double
    ) -> Double {
        let begin = curve.place(at: 0)
        let (low, high) = (min(begin, end) - 0.02 * unit, max(begin, end) + 0.02 * unit)
        var excess = 0.0
        var before: Double?
        for step in 0...16 {
            let state = curve.state(at: Double(step) / 16, seconds: seconds)
            excess = max(excess, abs(state.velocity) / (maxSpeed * unit))
            excess = max(excess, abs(state.acceleration) / (maxAcceleration * unit))
            if let before {
                let jerk = (state.acceleration - before) / (seconds / 16)
                excess = max(excess, abs(jerk) / (maxJerk * unit))
            }
            before = state.acceleration
            let outside = max(low - state.place, state.place - high)
            if outside > 0 { excess = max(excess, 1 + outside / unit * 10) }
        }
        return excess
    }
}
