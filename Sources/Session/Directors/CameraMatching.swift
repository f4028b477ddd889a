internal import Inputs
internal import Media
internal import Plan
internal import Profiles

/// Matches cameras in exposure and colour before a recording: meters once on the leading camera, sets all cameras to
/// what it found, and locks them. Each camera's focus settles and is locked where it is.
///
/// Runs on the timeline's thread while the cameras stream; each question to a driver takes milliseconds.
struct CameraMatching {
    private let inputs: SessionInputs
    private let clock: any SessionClock
    private let controls: SessionControls
    /// What each camera follows, by the camera's role; a leading camera has no entry.
    private let matches: [String: CameraMatch]

    private static let lookInterval = Nanoseconds.milliseconds(100)
    /// How long to wait for automatic exposure and focus to come to rest; then they are taken as they are.
    private static let patience = Nanoseconds.seconds(3)
    /// How long frames still show the state before a change: an exposure and its transport.
    private static let effectTime = Nanoseconds.milliseconds(300)

    init(_ plan: SessionPlan, _ inputs: SessionInputs, clock: any SessionClock, controls: SessionControls) {
        self.inputs = inputs
        self.clock = clock
        self.controls = controls
        matches = Dictionary(
            plan.cameras.compactMap { camera in camera.match.map { (camera.role, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Matches the cameras; returns at once when there is nothing to match.
    ///
    /// - Returns: What a camera cannot follow, a sentence each, with the camera's role.
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

    /// Waits until the automatic controls of the cameras have come to rest, or patience is over.
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
                // The focus as the camera reports it once nothing moves it any more.
                if let settled = read(camera) { remarks += set(settled.holdingFocus, on: camera) }
            }
        }
        return remarks
    }

    /// Sets controls of a camera; its input keeps the outcome of each.
    ///
    /// - Returns: Why nothing could be set; empty otherwise.
    private func set(_ requests: [ControlRequest], on camera: CameraInput) -> [(role: String, text: String)] {
        guard !requests.isEmpty else { return [] }
        do throws(DeviceError) {
            _ = try camera.set(requests)
            return []
        } catch {
            return [(camera.role, "\(camera.role): it could not be matched: \(error.description)")]
        }
    }

    /// Reads the controls of a camera.
    ///
    /// - Returns: The controls, or `nil` when it has none or does not answer.
    private func read(_ camera: CameraInput) -> [DeviceControl]? {
        do throws(DeviceError) {
            let controls = try camera.source.controls()
            return controls.isEmpty ? nil : controls
        } catch {
            return nil
        }
    }

    /// Waits while frames go on coming, and keeps the latest only.
    private func wait(_ time: Nanoseconds) {
        clock.sleep(until: clock.now + time, unless: controls.cancellation)
        inputs.keepLatest()
    }
}
