internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles

/// Matches the exposure and color of cameras before a recording. The leading camera determines its automatic
/// values once; all cameras are set to these values and locked. The focus of each camera settles separately
/// and is then locked.
///
/// Runs on the timeline's thread while the cameras stream. Each driver call takes milliseconds.
struct CameraMatching {
    private let inputs: SessionInputs
    private let clock: any SessionClock
    private let controls: SessionControls
    /// Match settings, by the role of the following camera. Leading cameras have no entry.
    private let matches: [String: CameraMatch]

    private static let pollInterval = Nanoseconds.milliseconds(100)
    /// Maximum time to wait for automatic exposure and focus to settle. After this time, the current values
    /// are used.
    private static let settlingTimeout = Nanoseconds.seconds(3)
    /// Time until a change of controls is visible in the frames: one exposure plus transport.
    private static let effectTime = Nanoseconds.milliseconds(300)

    init(_ plan: SessionPlan, _ inputs: SessionInputs, clock: any SessionClock, controls: SessionControls) {
        self.inputs = inputs
        self.clock = clock
        self.controls = controls
        matches = Dictionary(
            plan.cameras.compactMap { camera in camera.match.map { (camera.role, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Matches the cameras. Returns immediately when there is nothing to match.
    ///
    /// - Returns: Descriptions of the settings that a camera can't match, one sentence each, with the
    ///   camera's role.
    func run() -> [(role: String, text: String)] {
        guard !matches.isEmpty else { return [] }
        let involved = inputs.cameras.filter { camera in
            matches[camera.role] != nil || matches.values.contains { $0.camera == camera.role }
        }
        var remarks = waitUntilSettled(involved)
        for leader in involved where matches[leader.role] == nil {
            let followers = involved.filter { matches[$0.role]?.camera == leader.role }
            remarks += match(followers, to: leader)
        }
        wait(Self.effectTime)
        return remarks
    }

    /// Waits until the automatic controls of the cameras have settled, for at most `settlingTimeout`.
    private func waitUntilSettled(_ cameras: [CameraInput]) -> [(role: String, text: String)] {
        var waiting = cameras.map { (camera: $0, metering: ControlSettlingMonitor()) }
        let deadline = clock.now + Self.settlingTimeout
        while !waiting.isEmpty, clock.now < deadline, controls.stopTime == nil {
            waiting = waiting.compactMap { camera, metering in
                var metering = metering
                guard let found = read(camera), !metering.add(found) else { return nil }
                return (camera, metering)
            }
            if !waiting.isEmpty { wait(Self.pollInterval) }
        }
        return waiting.map { camera, _ in
            (
                camera.role,
                "\(camera.role): the automatic exposure or focus did not settle within "
                    + "\(Int(Self.settlingTimeout.inSeconds)) s. The control is locked at its current value."
            )
        }
    }

    private func match(
        _ followers: [CameraInput], to leader: CameraInput
    ) -> [(role: String, text: String)] {
        guard let metered = read(leader) else {
            return [
                (
                    leader.role,
                    "\(leader.role): the camera doesn't report its controls, so other cameras can't be matched to it."
                )
            ]
        }
        var remarks: [(role: String, text: String)] = []
        let traits = CameraMatch.Trait.allCases.filter { trait in
            followers.contains { matches[$0.role]?.traits.contains(trait) ?? false }
        }
        for camera in [leader] + followers {
            guard let own = camera === leader ? metered : read(camera) else {
                remarks.append(
                    (
                        camera.role,
                        "\(camera.role): the camera doesn't have controls, so it can't be matched to \(leader.role)."
                    ))
                continue
            }
            let wanted = camera === leader ? traits : matches[camera.role]?.traits ?? []
            let matched = MatchedControls(
                wanted, of: (leader.role, metered), on: (camera.role, own))
            remarks += matched.remarks.map { (camera.role, $0) }
            remarks += set(matched.requests, on: camera)
            if wanted.contains(.focus) {
                remarks += set(own.focusLockRequests, on: camera)
                // The focus that the camera reports after autofocus has settled.
                if let settled = read(camera) { remarks += set(settled.focusHoldRequests, on: camera) }
            }
        }
        return remarks
    }

    /// Sets controls of a camera. The camera's input stores the outcome of each request.
    ///
    /// - Returns: The reason if no control could be set; otherwise an empty list.
    private func set(_ requests: [ControlRequest], on camera: CameraInput) -> [(role: String, text: String)] {
        guard !requests.isEmpty else { return [] }
        do throws(DeviceError) {
            _ = try camera.set(requests)
            return []
        } catch {
            return [(camera.role, "\(camera.role): the camera could not be matched: \(error.description)")]
        }
    }

    /// Reads the controls of a camera.
    ///
    /// - Returns: The controls, or `nil` when the camera doesn't have any or doesn't respond.
    private func read(_ camera: CameraInput) -> [DeviceControl]? {
        do throws(DeviceError) {
            let controls = try camera.source.readControls()
            return controls.isEmpty ? nil : controls
        } catch {
            return nil
        }
    }

    /// Waits for a duration, then drops all buffered frames except the latest ones.
    private func wait(_ time: Nanoseconds) {
        clock.sleep(until: clock.now + time, unless: controls.cancellation)
        inputs.retainLatest()
    }
}
