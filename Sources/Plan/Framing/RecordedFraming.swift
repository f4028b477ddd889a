package import MulticamMedia

/// Plans the motions of a recorded camera's visible part with `FramingPolicy`.
///
/// All analyses are known in advance, so the motions begin before people move, positions are smoothed in both directions,
/// gaps between two detections are filled, and false detections and pictures of faces are ignored from the beginning. A pure
/// value; the same analyses always yield the same motions.
package struct RecordedFraming: Sendable {
    /// One position of a face.
    private struct Sighting {
        var time: Int64
        var face: DetectedFace
    }

    /// The analyzed frames, in order, with the improved faces.
    private let frames: [AnalyzedFrame]

    /// Time by which a motion begins before the frame that causes it.
    private static let lookAhead = Nanoseconds.milliseconds(400)
    /// Additional time by which the activity of faces is known in advance. The policy follows a new speaker about 3 s after
    /// they begin to speak, because it averages the activity and then waits.
    private static let activityLookAhead = Nanoseconds.milliseconds(2400)
    /// Longest gap between two detections of a face that is filled.
    private static let longestGap = Nanoseconds.milliseconds(2500)
    /// Smallest number of frames that contain a real face.
    private static let fewestSightings = 3
    /// A face that is visible for this time with an activity below `liveActivity` is a picture of a face.
    private static let (posterTime, liveActivity) = (Nanoseconds.seconds(20), 0.02)
    /// Weights of a position and its neighbors when positions are smoothed.
    private static let weights = [1.0, 2, 3, 2, 1]
    /// Time before a shot from which the policy knows the camera's faces, so that the shot begins with the people in frame.
    private static let preroll = Nanoseconds.seconds(8)
    /// The part of `preroll` for which faces are assumed at rest if the recording begins later.
    private static let settling = Nanoseconds.seconds(4)
    /// Longest time from the beginning of a recording to the first face that is framed from the beginning.
    private static let firstFace = Nanoseconds.seconds(1)

    /// Prepares the analyses of a camera.
    ///
    /// - Parameter analyses: The analyzed frames, with times in ascending order.
    package init(_ analyses: [AnalyzedFrame]) {
        var sightings: [Int: [Sighting]] = [:]
        for frame in analyses {
            for face in frame.faces {
                sightings[face.id, default: []].append(Sighting(time: frame.at_ns, face: face))
            }
        }
        var faces: [Int64: [DetectedFace]] = [:]
        let times = analyses.map(\.at_ns)
        for id in sightings.keys.sorted() {
            let own = sightings[id] ?? []
            guard own.count >= Self.fewestSightings, !Self.isPoster(own) else { continue }
            for sighting in Self.activityAdvanced(Self.smoothed(Self.filled(own, at: times))) {
                faces[sighting.time, default: []].append(sighting.face)
            }
        }
        frames = analyses.map { AnalyzedFrame(at_ns: $0.at_ns, faces: faces[$0.at_ns] ?? []) }
    }

    private static func isPoster(_ sightings: [Sighting]) -> Bool {
        guard let first = sightings.first, let last = sightings.last else { return true }
        return last.time - first.time >= posterTime.count
            && sightings.allSatisfy { $0.face.activity < liveActivity }
    }

    /// Adds interpolated positions at the analyzed frames between two detections.
    private static func filled(_ sightings: [Sighting], at times: [Int64]) -> [Sighting] {
        var all: [Sighting] = []
        for sighting in sightings {
            if let last = all.last, sighting.time - last.time <= longestGap.count {
                let begin = times.partitioningIndex { $0 > last.time }
                let end = times.partitioningIndex { $0 >= sighting.time }
                for time in times[begin..<max(begin, end)] {
                    let share = Double(time - last.time) / Double(sighting.time - last.time)
                    var face = last.face
                    face.box = last.face.box.interpolated(to: sighting.face.box, share: share)
                    all.append(Sighting(time: time, face: face))
                }
            }
            all.append(sighting)
        }
        return all
    }

    /// Averages positions over five frames. At the beginning and the end, and beside a long gap, fewer frames are used
    /// symmetrically, so that a moving face isn't delayed.
    private static func smoothed(_ sightings: [Sighting]) -> [Sighting] {
        sightings.indices.map { index in
            func isNear(_ distance: Int) -> Bool {
                guard sightings.indices.contains(index - distance),
                    sightings.indices.contains(index + distance)
                else { return false }
                return sightings[index + distance].time - sightings[index - distance].time
                    <= longestGap.count
            }
            let middle = weights.count / 2
            let reach = (1...middle).last { distance in (1...distance).allSatisfy(isNear) } ?? 0
            let near = (-reach...reach).map {
                (sightings[index + $0].face.box, weight: weights[middle + $0])
            }
            var sighting = sightings[index]
            sighting.face.box = FramePart.mean(of: near) ?? sighting.face.box
            return sighting
        }
    }

    private static func activityAdvanced(_ sightings: [Sighting]) -> [Sighting] {
        sightings.map { sighting in
            let later = sighting.time + activityLookAhead.count
            let next = sightings.partitioningIndex { $0.time >= later }
            guard next < sightings.count, sightings[next].time - later < longestGap.count else {
                return sighting
            }
            var sighting = sighting
            sighting.face.activity = sightings[next].face.activity
            return sighting
        }
    }

    /// Returns the policy for a shot that begins at a time, after it has seen the time before the shot. The motions before
    /// the shot aren't shown, so the shot begins with the people in frame.
    ///
    /// - Parameters:
    ///   - mode: People that the policy keeps in frame.
    ///   - view: The limits of the visible part.
    ///   - begin: Beginning of the shot.
    /// - Returns: A policy whose motion applies at the beginning of the shot.
    package func policy(_ mode: FramingMode, _ view: FramedView, from begin: MediaTime) -> FramingPolicy {
        var policy = FramingPolicy(mode: mode, view: view)
        let earliest = begin.advanced(by: .zero - Self.preroll).nanoseconds
        let known = frames[index(after: earliest)...]
        // Faces at the beginning of a recording are assumed to have been at rest before.
        if earliest < 0, let first = known.first(where: { !$0.faces.isEmpty }),
            first.at_ns <= max(known.first?.at_ns ?? 0, 0) + Self.firstFace.count
        {
            for step in stride(from: Self.settling.count, to: 0, by: -200_000_000) {
                let time = ClockTime(nanoseconds: first.at_ns - step - Self.lookAhead.count)
                _ = policy.update(first.faces, capturedAt: time, now: time)
            }
        }
        advance(&policy, from: MediaTime(nanoseconds: max(earliest, -Self.lookAhead.count)), to: begin) { _ in
        }
        return policy
    }

    /// Plans the motions that begin within a range of time.
    ///
    /// - Parameters:
    ///   - policy: The policy, which has planned all earlier motions.
    ///   - begin: Beginning of the range.
    ///   - end: End of the range.
    ///   - add: Called with each motion, in order. Times are relative to T0.
    package func advance(
        _ policy: inout FramingPolicy, from begin: MediaTime, to end: MediaTime, add: (FramingMotion) -> Void
    ) {
        let first = index(after: begin.advanced(by: Self.lookAhead).nanoseconds - 1)
        for frame in frames[first...] {
            let now = frame.at_ns - Self.lookAhead.count
            guard now < end.nanoseconds else { break }
            let motion = policy.update(
                frame.faces, capturedAt: ClockTime(nanoseconds: frame.at_ns), now: ClockTime(nanoseconds: now)
            )
            if let motion { add(motion) }
        }
    }

    private func index(after nanoseconds: Int64) -> Int {
        frames.partitioningIndex { $0.at_ns > nanoseconds }
    }
}

extension Array {
    /// Returns the first index whose element belongs to the second partition. All elements of the first partition precede
    /// those of the second.
    fileprivate func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = belongs(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

extension FramePart {
    /// Returns the part at a share of the way to another part, 0…1.
    fileprivate func interpolated(to other: FramePart, share: Double) -> FramePart {
        FramePart.mean(of: [(self, 1 - share), (other, share)]) ?? self
    }

    /// Returns the weighted mean of parts; `nil` for an empty list. Means of valid parts are valid.
    fileprivate static func mean(of parts: [(FramePart, weight: Double)]) -> FramePart? {
        let total = parts.map(\.weight).reduce(0, +)
        func mean(_ value: (FramePart) -> Double) -> Double {
            parts.map { value($0.0) * $0.weight }.reduce(0, +) / total
        }
        return FramePart(x: mean(\.x), y: mean(\.y), width: mean(\.width), height: mean(\.height))
    }
}
