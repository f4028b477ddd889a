/// The faces that a camera shows, with numbers that survive short occlusions.
///
/// A value that receives the results of the detector and the trackers. It has no clock and doesn't see images.
struct FaceTracks {
    /// A face from its first detection to its disappearance.
    struct Track: Equatable {
        let id: Int
        var box: Box
        /// Average score of the detections.
        var score: Double
        /// Velocity of the center in pixels per second.
        var velocity = (x: 0.0, y: 0.0)
        /// Number of detections; a track with few detections isn't reported.
        var detections = 1
        /// Time of the last detection, in seconds, and of the last result of a tracker.
        var lastDetected: Double
        var lastSeen: Double
        var activity = 0.0

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id && lhs.box == rhs.box }
    }

    private(set) var tracks: [Track] = []
    private var lastID = 0

    /// Detections before a face is reported, and the score at which one detection is enough.
    private static let (confirmations, certainScore) = (2, 0.6)
    /// Seconds for which a face that isn't found keeps its number.
    private static let memory = 4.0
    /// Seconds without a detection after which a tracker's results aren't trusted any more.
    private static let trackerTrust = 3.0
    /// Largest distance between a face and its expected position, in widths of the face, and its growth per second.
    private static let (reach, reachPerSecond) = (0.8, 1.0)
    /// Largest ratio between the sizes of the same face.
    private static let sizeRatio = 1.7

    /// The faces to report at a time in seconds.
    func visible(at time: Double) -> [Track] {
        tracks.filter {
            ($0.detections >= Self.confirmations || $0.score >= Self.certainScore)
                && time - $0.lastSeen < 0.05 && time - $0.lastDetected <= Self.trackerTrust
        }
    }

    /// Adds the faces that the detector found in an image.
    ///
    /// - Returns: The numbers of the tracks whose boxes come from the detector.
    mutating func add(_ detected: [(box: Box, score: Double)], at time: Double) -> Set<Int> {
        var pairs: [(cost: Double, track: Int, face: Int)] = []
        for (index, track) in tracks.enumerated() {
            for (number, face) in detected.enumerated() {
                if let cost = Self.cost(track, face.box, at: time) { pairs.append((cost, index, number)) }
            }
        }
        var (usedTracks, usedFaces) = (Set<Int>(), Set<Int>())
        for pair in pairs.sorted(by: { ($0.cost, $0.track, $0.face) < ($1.cost, $1.track, $1.face) })
        where !usedTracks.contains(pair.track) && !usedFaces.contains(pair.face) {
            usedTracks.insert(pair.track)
            usedFaces.insert(pair.face)
            let face = detected[pair.face]
            move(pair.track, to: face.box, at: time)
            tracks[pair.track].score += 0.3 * (face.score - tracks[pair.track].score)
            tracks[pair.track].detections += 1
            tracks[pair.track].lastDetected = time
        }
        var numbers = Set(usedTracks.map { tracks[$0].id })
        // A weak detection continues a track, but doesn't begin one.
        for (number, face) in detected.enumerated() where !usedFaces.contains(number) && face.score > 0 {
            let isKnown = tracks.contains {
                $0.box.overlap(with: face.box) > 0.4 && time - $0.lastSeen < 0.5
            }
            guard !isKnown else { continue }
            lastID += 1
            numbers.insert(lastID)
            tracks.append(
                Track(id: lastID, box: face.box, score: face.score, lastDetected: time, lastSeen: time))
        }
        tracks.removeAll { time - $0.lastDetected > Self.memory }
        tracks.removeAll { $0.detections < Self.confirmations && time - $0.lastDetected > 1.5 }
        return numbers
    }

    /// Moves a face to the position that its tracker has found.
    mutating func follow(_ id: Int, to box: Box, at time: Double) {
        guard let index = tracks.firstIndex(where: { $0.id == id }) else { return }
        move(index, to: box, at: time)
    }

    /// Sets how much the picture of a face changes.
    mutating func setActivity(_ activity: Double, of id: Int) {
        guard let index = tracks.firstIndex(where: { $0.id == id }) else { return }
        tracks[index].activity = activity
    }

    private mutating func move(_ index: Int, to box: Box, at time: Double) {
        let elapsed = time - tracks[index].lastSeen
        let track = tracks[index]
        if elapsed > 0, elapsed < 1 {
            let (x, y) = (box.centerX - track.box.centerX, box.centerY - track.box.centerY)
            tracks[index].velocity.x += 0.5 * (x / elapsed - track.velocity.x)
            tracks[index].velocity.y += 0.5 * (y / elapsed - track.velocity.y)
        } else if elapsed >= 1 {
            tracks[index].velocity = (0, 0)
        }
        // The sizes that the detector reports are those of its pyramid, so they are smoothed.
        let width = track.box.width + 0.4 * (box.width - track.box.width)
        let height = track.box.height + 0.4 * (box.height - track.box.height)
        tracks[index].box = Box(
            x: box.centerX - width / 2, y: box.centerY - height / 2, width: width, height: height)
        tracks[index].lastSeen = max(time, track.lastSeen)
    }

    /// Returns the distance between a track's expected position and a face, in widths of the face; `nil` if they can't be
    /// the same face.
    private static func cost(_ track: Track, _ box: Box, at time: Double) -> Double? {
        let elapsed = max(0, time - track.lastSeen)
        let ratio = max(box.width, 1) / max(track.box.width, 1)
        guard ratio < sizeRatio, ratio > 1 / sizeRatio else { return nil }
        // The velocity of a hidden face is uncertain, so only a part of the way is assumed.
        let ahead = min(elapsed, 1)
        let x = track.box.centerX + track.velocity.x * ahead - box.centerX
        let y = track.box.centerY + track.velocity.y * ahead - box.centerY
        let distance = (x * x + y * y).squareRoot() / max(box.width, 1)
        return distance <= reach + reachPerSecond * min(elapsed, 2) ? distance : nil
    }
}

/// Decides when the detector searches an image, and at which scale.
///
/// The detector is expensive, so it searches images in which something has moved, at the smallest scale that finds the
/// known faces. From time to time it searches at a larger scale for new and smaller faces.
struct DetectionSchedule {
    private var last: Double?
    private var lastWhole: Double?
    private var lastDouble: Double?

    /// Seconds between searches while something moves, and in a picture without movement.
    private static let (busyInterval, stillInterval) = (0.38, 2.0)
    /// Seconds between searches at scale 1 and 2 while larger faces are known, and at scale 2 without known faces.
    private static let (wholeInterval, doubleInterval, emptyDoubleInterval) = (2.0, 12.0, 3.0)

    /// Returns the scale at which to search, or `nil` to skip the image.
    ///
    /// - Parameters:
    ///   - time: Time of the image in seconds.
    ///   - smallest: Height in pixels of the smallest known face; `nil` without known faces.
    ///   - detectable: Height of the smallest face that the detector finds at scale 1.
    ///   - moves: Whether the picture has changed since the last search.
    /// - Returns: The scale, or `nil`.
    mutating func scale(
        at time: Double, smallest: Double?, detectable: Double, moves: Bool
    ) -> DetectionScale? {
        let interval = moves ? Self.busyInterval : Self.stillInterval
        if let last, time - last < interval { return nil }
        last = time
        let lastDouble = lastDouble ?? time - Self.doubleInterval
        let lastWhole = lastWhole ?? time - Self.wholeInterval
        let isDue = time - lastDouble >= (smallest == nil ? Self.emptyDoubleInterval : Self.doubleInterval)
        if isDue, moves || smallest == nil {
            self.lastDouble = time
            return .double
        }
        guard let smallest else { return .whole }
        if smallest < detectable * 1.15 {
            // The scale alternates, because a search of the doubled image takes four times as long.
            return smallest < detectable * 0.8 ? .double : .whole
        }
        if smallest >= detectable * 2.4, time - lastWhole < Self.wholeInterval { return .half }
        self.lastWhole = time
        return .whole
    }
}
