internal import Media
internal import Plan
internal import Profiles

/// Brings the cameras of a session that are to match to one exposure and one colour before a recording: meters once on the one
/// that the others follow, sets all of them, and locks them. Each camera's focus settles and is locked where it is.
///
/// To be run while the cameras stream, on the timeline's thread: it asks drivers, which takes milliseconds each time.
struct CameraMatching {
    private let inputs: SessionInputs
    private let clock: any SessionClock
    private let controls: SessionControls
    /// By role; only of cameras that follow one.
    private let matches: [String: CameraMatch]

    private static let lookInterval = Nanoseconds.milliseconds(100)
    /// An automatic exposure or focus that does not come to rest is taken as it is then.
    private static let patience = Nanoseconds.seconds(3)
    /// The frames after a change are still of before it, for an exposure and its transport.
    private static let effectTime = Nanoseconds.milliseconds(300)

    init(_ plan: SessionPlan, _ inputs: SessionInputs, clock: any SessionClock, controls: SessionControls) {
        self.inputs = inputs
        self.clock = clock
        self.controls = controls
        matches = Dictionary(
            plan.cameras.compactMap { camera in camera.match.map { (camera.role, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Does it. Returns at once where nothing is to match.
    ///
    /// - Returns: What a camera cannot follow: a sentence each, with its role.
    func run() -> [(role: String, text: String)] {
        guard !matches.isEmpty else { return [] }
        let involved = inputs.cameras.filter { camera in
            matches[camera.role] != nil || matches.values.contains { $0.camera == camera.role }
        }
        var remarks = awaitRest(of: involved)
        for leader in involved where matches[leader.role] == nil {
            let followers = involved.filter { matches[$0.role]?.camera == leader.role }
            remarks += match(followers, to: leader)
        }
        wait(Self.effectTime)
        return remarks
    }

    /// Waits until the automatic controls of cameras have come to rest.
    private func awaitRest(of cameras: [CameraInput]) -> [(role: String, text: String)] {
        var waiting = cameras.map { (camera: $0, metering: Metering()) }
        let deadline = clock.now + Self.patience
        while !waiting.isEmpty, clock.now < deadline, controls.stopTime == nil {
            waiting = waiting.compactMap { camera, metering in
                var metering = metering
                guard let found = read(camera), !metering.take(found) else { return nil }
                return (camera, metering)
            }
            if !waiting.isEmpty { wait(Self.lookInterval) }
        }
        return waiting.map { camera, _ in
            (
                camera.role,
                "\(camera.role): its automatic exposure or focus did not come to rest within "
                    + "\(Int(Self.patience.inSeconds)) s; it is locked as it was then."
            )
        }
    }

    private func match(
        _ followers: [CameraInput], to leader: CameraInput
    ) -> [(role: String, text: String)] {
        guard let metered = read(leader) else {
            return [
                (leader.role, "\(leader.role): it does not tell its controls, so no camera can follow it.")
            ]
        }
        var remarks: [(role: String, text: String)] = []
        let traits = CameraMatch.Trait.allCases.filter { trait in
            followers.contains { matches[$0.role]?.traits.contains(trait) ?? false }
        }
        for camera in [leader] + followers {
            guard let own = camera === leader ? metered : read(camera) else {
                remarks.append(
                    (camera.role, "\(camera.role): it has no controls and cannot follow \(leader.role)."))
                continue
            }
            let wanted = camera === leader ? traits : matches[camera.role]?.traits ?? []
            let matched = MatchedControls(
                wanted, of: (leader.role, metered), on: (camera.role, own))
            remarks += matched.remarks.map { (camera.role, $0) }
            remarks += set(matched.requests, on: camera)
            if wanted.contains(.focus) {
                remarks += set(own.lockingFocus, on: camera)
                // As the camera tells it once nothing moves it any more.
                if let settled = read(camera) { remarks += set(settled.holdingFocus, on: camera) }
            }
        }
        return remarks
    }

    /// - Returns: Why it could not be done at all; what came of single controls is kept by the camera's input.
    private func set(_ requests: [ControlRequest], on camera: CameraInput) -> [(role: String, text: String)] {
        guard !requests.isEmpty else { return [] }
        do throws(DeviceError) {
            _ = try camera.set(requests)
            return []
        } catch {
            return [(camera.role, "\(camera.role): it could not be matched: \(error.description)")]
        }
    }

    /// - Returns: `nil` where it has none, or does not answer.
    private func read(_ camera: CameraInput) -> [DeviceControl]? {
        do throws(DeviceError) {
            let controls = try camera.source.controls()
            return controls.isEmpty ? nil : controls
        } catch {
            return nil
        }
    }

    /// Frames go on coming, and only the latest are of use.
    private func wait(_ time: Nanoseconds) {
        clock.sleep(until: clock.now + time, unless: controls.cancellation)
        inputs.keepLatest()
    }
}
