public import Media
public import Profiles

/// The cut that follows the voices: whoever speaks is shown, and all of them where several speak or nobody does. Pure.
///
/// It knows the whole recording, so it cuts a little before a voice, and never to what lasts shorter than a shot may. A cut that
/// comes while nothing changes looks like a mistake: each comes where somebody begins or ends to speak.
public struct VoiceCut: Sendable, Equatable {
    /// A microphone, and the camera that shows who speaks into it.
    public struct Speaker: Sendable, Equatable {
        /// Role of the microphone.
        public let microphone: String
        /// Role of the camera.
        public let camera: String

        /// Pairs a microphone with a camera.
        public init(microphone: String, camera: String) {
            self.microphone = microphone
            self.camera = camera
        }
    }

    /// The length of a recording from which on no cut is made: levels of longer ones would fill the memory.
    private static let longest = MediaTime(nanoseconds: 172_800_000_000_000)

    /// Who may speak.
    public var speakers: [Speaker]
    /// Roles of the cameras that are shown where several speak or nobody does, the first one first.
    public var wide: [String]
    /// The layout of `wide`.
    public var wideLayout: ProgramSettings.Layout
    /// Length of the shortest shot.
    public var shortest: Nanoseconds = .seconds(2)
    /// How long before a voice its camera is shown.
    public var lead: Nanoseconds = .milliseconds(80)

    /// Finds out which camera shows whom, and what shows all of them: a camera that no microphone belongs to, else a grid.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cameras: Cameras by the role of the microphone, in place of what the recording says.
    /// - Throws: `CutError` with a sentence that asks: a microphone without a camera, a role that is not there, or fewer than two
    ///   cameras or no microphone to choose by.
    public init(for session: RecordedSession, cameras: [String: String] = [:]) throws(CutError) {
        for (microphone, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            guard session.microphones.contains(where: { $0.role == microphone }) else {
                let roles = session.microphones.map(\.role).joined(separator: ", ")
                throw CutError(
                    "there is no track of a microphone `\(microphone.printable())`. There are: \(roles.isEmpty ? "none" : roles)."
                )
            }
            guard session.angle(camera)?.kind == .camera else {
                let roles = session.angles.filter { $0.kind == .camera }.map(\.role).joined(separator: ", ")
                throw CutError(
                    "there is no track of a camera `\(camera.printable())`. There are: \(roles.isEmpty ? "none" : roles)."
                )
            }
        }
        guard session.duration <= Self.longest, session.frameCount <= 20_000_000 else {
            throw CutError("the recording is longer than two days, and a cut by voice is not made of that.")
        }
        let all = session.angles.filter { $0.kind == .camera }.map(\.role)
        guard all.count >= 2, !session.microphones.isEmpty else {
            throw CutError(
                "a cut by voice needs tracks of two cameras and of a microphone for each voice; this recording has \(all.count) of cameras and \(session.microphones.count) of microphones."
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
                "which camera shows who speaks into \(unknown.isEmpty ? role : unknown.joined(separator: ", "))? Say `--speaker \(role)=\(all[0])`, and for the next recording `microphones: { \(role): { camera: \(all[0]) } }` in the profile."
            )
        }
        let shown = speakers.map(\.camera)
        let free = all.first { !shown.contains($0) }
        wide = free.map { [$0] } ?? all
        wideLayout = free == nil ? .grid : .single
    }

    /// Makes the cut.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - levels: For each of `speakers`, in order, what a `VoiceMeter` measured from T0 on.
    /// - Returns: A cut whose shots are `shortest` or longer, but where the recording itself is shorter.
    public func cut(of session: RecordedSession, levels: [[Float]]) -> Cut {
        let length = max(1, Int(clamping: session.duration.ticks(perSecond: 100)))
        let activity = VoiceActivity(
            levels: speakers.indices.map { index in
                let level = index < levels.count ? levels[index] : []
                return Array(level.prefix(length))
                    + [Float](repeating: VoiceMeter.silence, count: max(0, length - level.count))
            })
        let cameras = speakers.map(\.camera).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let frames = Int(clamping: session.lastFrame)
        var seen = cameras.map { camera in
            Self.seen(speakers.indices.filter { speakers[$0].camera == camera }.map { activity.speaks[$0] })
        }
        let heard = seen.map { Self.frames($0, count: frames, of: session) }
        for index in seen.indices { advance(&seen[index], by: Int(lead.count / 10_000_000)) }
        let shown = seen.map { Self.frames($0, count: frames, of: session) }
        let shortest = max(
            1, Int(clamping: session.rate.ticks(before: MediaTime(nanoseconds: self.shortest.count))))
        let price = 0.3 * session.rate.perSecond
        let search = ShotSearch(
            worth: Self.worth(shown, shortest: shortest, lead: Int(lead.inSeconds * session.rate.perSecond)),
            mayBegin: (0..<frames).map { frame in
                frame > 0
                    && shown.indices.contains { camera in
                        let (shown, heard) = (shown[camera], heard[camera])
                        return shown[frame] != shown[frame - 1] || shown[frame] && !heard[frame - 1]
                    }
            }, shortest: shortest, price: price)
        let shots = search.shots().map { shot in
            let isWide = shot.choice == cameras.count
            return Cut.Shot(
                first: Int64(shot.frames.lowerBound), end: Int64(shot.frames.upperBound),
                show: isWide ? wide : [cameras[shot.choice]],
                layout: isWide ? wideLayout.rawValue : ProgramSettings.Layout.single.rawValue,
                why: why(shot, cameras, shown, session))
        }
        return Cut(rate: session.rate, shots: shots)
    }

    /// Whether anybody whom a camera shows speaks.
    private static func seen(_ speaks: [[Bool]]) -> [Bool] {
        guard let first = speaks.first else { return [] }
        return first.indices.map { time in speaks.contains { $0[time] } }
    }

    /// Levels of every 10 ms as the session's frames have them.
    private static func frames(_ levels: [Bool], count: Int, of session: RecordedSession) -> [Bool] {
        (0..<count).map { frame in
            let level = session.rate.time(ofTick: Int64(frame)).ticks(perSecond: 100)
            return levels[min(levels.count - 1, Int(clamping: level))]
        }
    }

    /// Begins each voice earlier.
    private func advance(_ speaks: inout [Bool], by count: Int) {
        for run in VoiceActivity.runs(of: true, in: speaks) {
            for time in max(0, run.lowerBound - count)..<run.lowerBound { speaks[time] = true }
        }
    }

    /// What each camera, and last the wide shot, is worth at each frame.
    ///
    /// What does not last as long as a shot must needs no shot: there the cameras before and after are as good.
    /// A pause is as long as it is without the lead of the voice that ends it.
    private static func worth(_ seen: [[Bool]], shortest: Int, lead: Int) -> [[Float]] {
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
        // In a pause the one who spoke last stays, so that the cut comes with the next voice.
        var last: Int?
        for frame in counts.indices {
            if counts[frame] == 1 {
                last = seen.firstIndex { $0[frame] }
            } else if counts[frame] == 0, let last {
                worth[last][frame] = 0.05
            }
        }
        return worth + [wide]
    }

    private func why(
        _ shot: (choice: Int, frames: Range<Int>), _ cameras: [String], _ seen: [[Bool]],
        _ session: RecordedSession
    ) -> String {
        func names(_ camera: String) -> String {
            let microphones = speakers.filter { $0.camera == camera }.map(\.microphone)
            return microphones.map { session.people[$0] ?? $0 }.joined(separator: " or ")
        }
        if shot.choice < cameras.count { return "\(names(cameras[shot.choice])) speaks" }
        let counts = shot.frames.map { frame in seen.count { $0[frame] } }
        guard counts.count(where: { $0 > 1 }) > counts.count(where: { $0 == 0 }) else {
            return "nobody speaks"
        }
        let those = cameras.indices.filter { index in
            shot.frames.count { seen[index][$0] } * 4 > shot.frames.count
        }
        return "\(those.map { names(cameras[$0]) }.joined(separator: " and ")) speak"
    }
}
