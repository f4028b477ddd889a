package import MulticamMedia
package import MulticamProfiles

/// A cut that follows the voices: it shows the active speaker, or all speakers if several people or no one is
/// speaking. A pure value type.
///
/// Microphones are ignored while they were muted in the program. A camera isn't shown during its unusable
/// periods (`SessionTrack.unusableRanges`) unless no other camera is better.
///
/// Because the whole recording is known, each switch occurs slightly before the person begins to speak, and
/// shots shorter than the minimum are avoided. A switch for no visible reason looks like a mistake, so
/// switches are made only when someone starts or stops speaking.
package struct VoiceCut: Sendable, Equatable {
    /// A microphone and the camera that shows its speaker.
    package struct Speaker: Sendable, Equatable {
        /// Role of the microphone.
        package let microphone: String
        /// Role of the camera.
        package let camera: String

        /// Pairs a microphone with a camera.
        package init(microphone: String, camera: String) {
            self.microphone = microphone
            self.camera = camera
        }
    }

    /// Maximum length of a recording. The levels of a longer recording would exhaust memory.
    private static let longest = MediaTime(nanoseconds: 172_800_000_000_000)

    /// The possible speakers.
    package var speakers: [Speaker]
    /// Roles of the cameras that are shown if several people or no one is speaking, in order.
    package var wide: [String]
    /// Layout of the cameras in `wide`.
    package var wideLayout: ProgramLayout
    /// Minimum length of a shot.
    package var minShot: Nanoseconds = .seconds(2)
    /// Time by which the switch to a camera precedes the voice.
    package var lead: Nanoseconds = .milliseconds(80)

    /// Determines the camera of each speaker, and the wide shot: a camera without a microphone, otherwise all cameras.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cameras: Roles of cameras by the role of the microphone. These assignments override the
    ///     assignments in the recording.
    /// - Throws: `CutError` with a message that asks for the missing information: a microphone without a camera, a role
    ///   that doesn't exist, fewer than two cameras, or no microphones.
    package init(for session: RecordedSession, cameras: [String: String] = [:]) throws(CutError) {
        for (microphone, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            guard session.microphones.contains(where: { $0.role == microphone }) else {
                let roles = session.microphones.map(\.role).joined(separator: ", ")
                throw CutError(
                    "no track found for microphone `\(microphone.printable())`. Available microphones: \(roles.isEmpty ? "none" : roles)."
                )
            }
            guard session.angle(camera)?.kind == .camera else {
                let roles = session.angles.filter { $0.kind == .camera }.map(\.role).joined(separator: ", ")
                throw CutError(
                    "no track found for camera `\(camera.printable())`. Available cameras: \(roles.isEmpty ? "none" : roles)."
                )
            }
        }
        guard session.duration <= Self.longest, session.frameCount <= 20_000_000 else {
            throw CutError(
                "the recording is longer than two days, which is the limit for switching by voice.")
        }
        let all = session.angles.filter { $0.kind == .camera }.map(\.role)
        guard all.count >= 2, !session.microphones.isEmpty else {
            throw CutError(
                "switching by voice requires two camera tracks and a microphone track for each speaker. Found: \(all.count) camera tracks, \(session.microphones.count) microphone tracks."
            )
        }
        speakers = []
        var unknown: [String] = []
        for microphone in session.microphones {
            let camera = cameras[microphone.role] ?? microphone.camera
            if let camera, all.contains(camera) {
                speakers.append(Speaker(microphone: microphone.role, camera: camera))
            } else if camera == nil {
                unknown.append(microphone.role)
            }
        }
        guard unknown.isEmpty, !speakers.isEmpty else {
            let role = unknown.first ?? session.microphones[0].role
            throw CutError(
                "no camera is assigned to microphone \(unknown.isEmpty ? role : unknown.joined(separator: ", ")). Specify `--speaker \(role)=\(all[0])`. For future recordings, set `microphones: { \(role): { camera: \(all[0]) } }` in the profile."
            )
        }
        wide = VoiceShots(cameras: speakers.map(\.camera), all: all).wide
        wideLayout = .wide(wide.count)
    }

    /// Shows the cameras of all speakers together if several people or no one is speaking, even if another camera exists. A
    /// portrait picture of a camera that shows everyone would show too little of each person.
    package mutating func showSpeakersTogether() {
        let cameras = speakers.map(\.camera).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard cameras.count > 1 else { return }
        (wide, wideLayout) = (cameras, .wide(cameras.count))
    }

    /// Creates the cut.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - levels: For each of `speakers`, in order, the levels that a `VoiceMeter` measured from T0 on.
    /// - Returns: A cut with shots of at least `shortest`, unless the recording itself is shorter.
    package func cut(of session: RecordedSession, levels: [[Float]]) -> Cut {
        let length = max(1, Int(clamping: session.duration.ticks(perSecond: 100)))
        let activity = VoiceActivity(
            levels: speakers.indices.map { index in
                let level = index < levels.count ? levels[index] : []
                return Array(level.prefix(length))
                    + [Float](repeating: VoiceMeter.silence, count: max(0, length - level.count))
            }, muted: speakers.map { Self.mutedLevels(of: $0.microphone, session, count: length) })
        let cameras = speakers.map(\.camera).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let frames = Int(clamping: session.lastFrame)
        var seen = cameras.map { camera in
            Self.isAnySpeaking(
                speakers.indices.filter { speakers[$0].camera == camera }.map { activity.speaks[$0] })
        }
        let heard = seen.map { Self.frames($0, count: frames, of: session) }
        for index in seen.indices { advance(&seen[index], by: Int(lead.count / 10_000_000)) }
        let shown = seen.map { Self.frames($0, count: frames, of: session) }
        let shortest = max(
            1, Int(clamping: session.rate.ticks(before: MediaTime(nanoseconds: self.minShot.count))))
        let price = 0.3 * session.rate.perSecond
        let faults = (cameras + wide).reduce(into: [String: [Bool]]()) { faults, role in
            faults[role] = faults[role] ?? Self.faults(of: role, session, count: frames)
        }
        let cameraFaults = cameras.map { faults[$0] ?? [] }
        let wideFaults = wide.compactMap { faults[$0] }
        let search = ShotSearch(
            worth: Self.worth(
                shown, cameraFaults, wideFaults, shortest: shortest,
                lead: Int(lead.inSeconds * session.rate.perSecond)),
            mayBegin: (0..<frames).map { frame in
                guard frame > 0 else { return false }
                let isVoice = shown.indices.contains { camera in
                    let (shown, heard) = (shown[camera], heard[camera])
                    return shown[frame] != shown[frame - 1] || shown[frame] && !heard[frame - 1]
                }
                return isVoice || faults.values.contains { $0[frame] != $0[frame - 1] }
            }, shortest: shortest, price: price)
        let shots = search.shots().flatMap { shot -> [Cut.Shot] in
            let reason = reason(shot, cameras, shown, cameraFaults, session)
            let pictures =
                shot.choice == cameras.count
                ? widePictures(shot.frames, faults, shortest: shortest)
                : [(frames: shot.frames, show: [cameras[shot.choice]])]
            return pictures.map { picture in
                let isGrid = picture.show.count > 1
                return Cut.Shot(
                    first: Int64(picture.frames.lowerBound), end: Int64(picture.frames.upperBound),
                    cameras: picture.show,
                    layout: isGrid ? wideLayout : .single, reason: reason)
            }
        }
        return Cut(rate: session.rate, shots: shots)
    }

    /// Returns the ranges of levels during which the user had muted a microphone. A microphone that was never in the
    /// mix wasn't muted.
    private static func mutedLevels(
        of microphone: String, _ session: RecordedSession, count: Int
    ) -> [Range<Int>] {
        let gains = session.gains(of: microphone)
        guard gains.contains(where: { $0.decibels != nil }) else { return [] }
        func level(_ frame: Int64) -> Int {
            min(Int(clamping: session.rate.time(ofTick: frame).ticks(perSecond: 100)), count)
        }
        return gains.indices.filter { gains[$0].decibels == nil }.map { index in
            let begin = level(gains[index].frame)
            return begin..<max(begin, index + 1 < gains.count ? level(gains[index + 1].frame) : count)
        }
    }

    /// Returns, for each frame, whether a camera is unusable.
    private static func faults(of role: String, _ session: RecordedSession, count: Int) -> [Bool] {
        var faults = [Bool](repeating: false, count: count)
        for stretch in session.angle(role)?.unusableRanges(until: session.duration) ?? [] {
            let first = min(Int(clamping: session.rate.ticks(before: stretch.lowerBound)), count)
            let end = min(Int(clamping: session.rate.ticks(before: stretch.upperBound)), count)
            for frame in first..<max(first, end) { faults[frame] = true }
        }
        return faults
    }

    /// Returns the cameras that the wide shot shows during a range of frames: all of its usable cameras. No picture is
    /// shorter than `shortest`.
    private func widePictures(
        _ frames: Range<Int>, _ faults: [String: [Bool]], shortest: Int
    ) -> [(frames: Range<Int>, show: [String])] {
        var pictures: [(frames: Range<Int>, show: [String])] = []
        for frame in frames {
            let usable = wide.filter { faults[$0]?[frame] != true }
            let show = usable.isEmpty ? wide : usable
            if let last = pictures.last,
                last.show == show || last.frames.count < shortest && pictures.count > 1
            {
                pictures[pictures.count - 1].frames = last.frames.lowerBound..<frame + 1
            } else {
                pictures.append((frame..<frame + 1, show))
            }
        }
        // Pictures at the beginning or the end that are too short are merged with their neighbors.
        if pictures.count > 1, let last = pictures.last, last.frames.count < shortest {
            pictures.removeLast()
            pictures[pictures.count - 1].frames =
                pictures[pictures.count - 1].frames.lowerBound..<frames.upperBound
        }
        if pictures.count > 1, pictures[0].frames.count < shortest {
            pictures.removeFirst()
            pictures[0].frames = frames.lowerBound..<pictures[0].frames.upperBound
        }
        return pictures
    }

    /// Returns whether any of a camera's speakers is speaking.
    private static func isAnySpeaking(_ speaks: [[Bool]]) -> [Bool] {
        guard let first = speaks.first else { return [] }
        return first.indices.map { time in speaks.contains { $0[time] } }
    }

    /// Converts levels in 10 ms steps to the session's frames.
    private static func frames(_ levels: [Bool], count: Int, of session: RecordedSession) -> [Bool] {
        (0..<count).map { frame in
            let level = session.rate.time(ofTick: Int64(frame)).ticks(perSecond: 100)
            return levels[min(levels.count - 1, Int(clamping: level))]
        }
    }

    /// Moves the start of each voice earlier.
    private func advance(_ speaks: inout [Bool], by count: Int) {
        for run in VoiceActivity.runs(of: true, in: speaks) {
            for time in max(0, run.lowerBound - count)..<run.lowerBound { speaks[time] = true }
        }
    }

    /// Returns the value of each camera, followed by the value of the wide shot, at each frame.
    ///
    /// Pauses and simultaneous voices that are shorter than a shot don't need the wide shot: the preceding
    /// and following cameras are equally good. The length of a pause includes the next voice's lead time. If
    /// the active speaker's camera is unusable, the wide shot gets the value of this camera. Unusable cameras
    /// are avoided.
    private static func worth(
        _ seen: [[Bool]], _ faults: [[Bool]], _ wideFaults: [[Bool]], shortest: Int, lead: Int
    ) -> [[Float]] {
        let counts = (seen.first ?? []).indices.map { frame in seen.count { $0[frame] } }
        var worth = seen.map { seen in
            zip(seen, counts).map { $0 ? ($1 == 1 ? Float(1) : 0.3) : 0 }
        }
        var wide = counts.map { $0 == 1 ? Float(0) : 1 }
        for pause in VoiceActivity.runs(of: true, in: counts.map { $0 == 0 })
        where pause.count + lead < shortest {
            for frame in pause { wide[frame] = 0.02 }
        }
        for crowd in VoiceActivity.runs(of: true, in: counts.map { $0 > 1 }) where crowd.count < shortest {
            for frame in crowd { wide[frame] = 0.3 }
        }
        // During a pause, the last speaker remains in the picture, so that the cut occurs at the next voice.
        var last: Int?
        for frame in counts.indices {
            if counts[frame] == 1 {
                last = seen.firstIndex { $0[frame] }
            } else if counts[frame] == 0, let last {
                worth[last][frame] = 0.05
            }
        }
        for (camera, faults) in faults.enumerated() {
            for frame in faults.indices where faults[frame] {
                if counts[frame] == 1, seen[camera][frame] { wide[frame] = 1 }
                worth[camera][frame] = unusable
            }
        }
        for frame in wide.indices where wideFaults.allSatisfy({ $0[frame] }) { wide[frame] = unusable }
        return worth + [wide]
    }

    /// Value of a frame without a usable picture. Switching away from such a frame always increases the total
    /// value.
    private static let unusable: Float = -2

    private func reason(
        _ shot: (choice: Int, frames: Range<Int>), _ cameras: [String], _ seen: [[Bool]],
        _ faults: [[Bool]], _ session: RecordedSession
    ) -> String {
        func names(_ camera: String) -> String {
            let microphones = speakers.filter { $0.camera == camera }.map(\.microphone)
            return microphones.map { session.people[$0] ?? $0 }.joined(separator: " or ")
        }
        if shot.choice < cameras.count { return "\(names(cameras[shot.choice])) speaks" }
        let counts = shot.frames.map { frame in seen.count { $0[frame] } }
        let hidden = cameras.indices.max { one, other in
            func length(_ camera: Int) -> Int {
                shot.frames.count { seen[camera][$0] && faults[camera][$0] }
            }
            return length(one) < length(other)
        }
        if let hidden, shot.frames.count(where: { seen[hidden][$0] && faults[hidden][$0] }) * 2 > counts.count
        {
            return "\(names(cameras[hidden])) is speaking, but camera \(cameras[hidden]) has no picture"
        }
        guard counts.count(where: { $0 > 1 }) > counts.count(where: { $0 == 0 }) else {
            return "silence"
        }
        let those = cameras.indices.filter { index in
            shot.frames.count { seen[index][$0] } * 4 > shot.frames.count
        }
        return "\(those.map { names(cameras[$0]) }.joined(separator: " and ")) speak"
    }
}

/// Finds the sequence of shots with the highest total value, none shorter than requested, by dynamic
/// programming over frames. A pure value type.
struct ShotSearch {
    /// The value of each choice at each frame. All arrays have the same length, at least one frame.
    let worth: [[Float]]
    /// For each frame, whether a shot may begin at that frame. The first frame is always allowed.
    let mayBegin: [Bool]
    /// Minimum length of a shot in frames, at least 1.
    let shortest: Int
    /// Minimum gain of a cut, in frames with a value of 1.
    let price: Double

    /// Returns the best shots in order, each with its choice and its frames.
    func shots() -> [(choice: Int, frames: Range<Int>)] {
        let count = worth.first?.count ?? 0
        let sums = worth.map { values in
            values.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + Double($1)) }
        }
        guard count >= shortest else {
            let best = worth.indices.max { (sums[$0].last ?? 0) < (sums[$1].last ?? 0) } ?? 0
            return [(best, 0..<count)]
        }
        // best[choice][frames]: maximum value of the first `frames` frames if the last shot shows this choice and may
        // end there. from: the previous choice if that shot has its minimum length there; `stays` if it is longer.
        let (stays, begins) = (Int16(-1), Int16(-2))
        var best = worth.map { _ in [Double](repeating: -.infinity, count: count + 1) }
        var from = worth.map { _ in [Int16](repeating: stays, count: count + 1) }
        for end in shortest...count {
            for choice in worth.indices {
                var value = best[choice][end - 1] + Double(worth[choice][end - 1])
                var origin = stays
                let shot = sums[choice][end] - sums[choice][end - shortest]
                if end == shortest { (value, origin) = (shot, begins) }
                if end >= 2 * shortest, mayBegin[end - shortest] {
                    for other in worth.indices where other != choice {
                        let changed = best[other][end - shortest] - price + shot
                        if changed > value + 1e-6 { (value, origin) = (changed, Int16(other)) }
                    }
                }
                best[choice][end] = value
                from[choice][end] = origin
            }
        }
        var choice = worth.indices.max { best[$0][count] < best[$1][count] } ?? 0
        var shots: [(choice: Int, frames: Range<Int>)] = []
        var (position, end) = (count, count)
        while true {
            let origin = from[choice][position]
            if origin == stays {
                position -= 1
            } else {
                shots.append((choice, position - shortest..<end))
                if origin == begins { break }
                position -= shortest
                (choice, end) = (Int(origin), position)
            }
        }
        return shots.reversed()
    }
}
