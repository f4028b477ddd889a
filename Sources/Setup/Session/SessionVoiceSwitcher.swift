internal import MulticamInputs
internal import MulticamInterchange
package import MulticamMedia
public import MulticamPlan
public import MulticamProfiles
public import MulticamSession

/// Switches the program to the active speaker while a session is running. The user can turn automatic switching on
/// and off.
///
/// Receives the microphones' audio through taps on the taps' threads, and commits the same kinds of changes
/// as a user. Microphones that the user has muted are ignored, and cameras with a fault aren't shown
/// (`CameraInput.fault`). After a manual change of the picture, automatic switching pauses for 10 s.
package final class SessionVoiceSwitcher: Sendable {
    // Durations are counted in audio level measurements, one every 10 ms.
    /// Duration of the pause after a manual change, in level measurements of 10 ms each.
    private static let manualChangePause = 1000
    /// Interval between checks of cameras and microphones, in level measurements.
    private static let checkInterval = 10
    /// Delay between a decision and the tick that shows it. A shot may last longer than requested by at most this time.
    private static let delay = Nanoseconds.milliseconds(100)

    /// State shared by the threads that call the taps. The session retains the taps.
    private struct State {
        weak var session: MulticamSession?
        var mode = ProgramSettings.Switching.manual
        /// Whether taps were attached to the microphones.
        var isListening = false
        var meters: [VoiceMeter]
        var voice: VoiceSwitcher
        /// Number of level measurements used from each microphone.
        var used = 0
        /// The chosen picture; `nil` before the first choice.
        var choice: VoiceSwitcher.Choice?
        /// Whether the chosen picture hasn't been shown yet.
        var isNew = false
        /// Whether other cameras are shown because the chosen cameras can't be shown.
        var isSubstitute = false
        /// Time of the last committed change, in level measurements.
        var changedAt = 0
        var health = Health()
        /// Cameras that the session refused to show, for example because they were removed, and the number of the
        /// level measurement after which they may be requested again.
        var refused: (cameras: Set<String>, until: Int) = ([], 0)
        /// The arrangement after the last detected change.
        var knownArrangement: ProgramArrangement?
        /// Time of the last detected manual change, in level measurements; `nil` if automatic switching isn't paused.
        var lastManualChange: Int?
        /// Microphones that were removed from the session, so that they don't deliver audio any more.
        var removedMicrophones: Set<String> = []
    }

    /// The devices that automatic switching ignores because of a fault or because the user muted them.
    private struct Health {
        var faultyCameras: Set<String> = []
        var mutedMicrophones: Set<String> = []
    }

    private let state: ConditionLock<State>
    private let speakers: [(microphone: String, camera: String)]
    private let shots: VoiceShots
    /// Microphones that the program mixes unless the user mutes them.
    private let mixed: Set<String>
    /// Minimum length of a shot, in level measurements.
    private let minLevels: Int

    /// Creates a switcher in manual mode. Returns `nil` if the plan has fewer than two cameras, or no program, or if
    /// no microphone is assigned to a camera.
    ///
    /// - Parameters:
    ///   - plan: The plan of the session. Only microphones assigned to a camera are used.
    ///   - minShot: Minimum length of a shot.
    ///   - session: The session.
    init?(_ plan: SessionPlan, minShot: Nanoseconds, session: MulticamSession) {
        speakers = plan.microphones.compactMap { microphone in
            microphone.camera.map { (microphone: microphone.role, camera: $0) }
        }
        guard plan.program != nil, plan.cameras.count > 1, !speakers.isEmpty else { return nil }
        shots = VoiceShots(cameras: speakers.map(\.camera), all: plan.cameras.map(\.role))
        mixed = Set(plan.program?.mix ?? [])
        minLevels = Int(clamping: (minShot + Self.delay).count / 10_000_000)
        state = ConditionLock(
            State(
                session: session, meters: speakers.map { _ in VoiceMeter() },
                voice: VoiceSwitcher(microphones: speakers.count, minShot: minShot + Self.delay),
                knownArrangement: plan.program?.arrangement))
    }

    /// How shots are selected.
    package var mode: ProgramSettings.Switching { state.withLock(\.mode) }

    /// Time until automatic switching resumes after a manual change; `nil` while it isn't paused.
    package var timeToResume: Nanoseconds? {
        state.withLock { state in
            guard state.mode == .voice, let since = state.lastManualChange else { return nil }
            return .milliseconds(10 * Int64(max(0, Self.manualChangePause - (state.used - since))))
        }
    }

    /// Turns automatic switching on or off. If it is turned on, the current speaker is shown immediately, even after a
    /// manual change.
    ///
    /// - Parameter mode: How shots are selected from now on.
    /// - Throws: `SessionChangeError` if the session has ended.
    package func setMode(_ mode: ProgramSettings.Switching) throws(SessionChangeError) {
        guard let session = state.withLock(\.session) else {
            throw SessionChangeError(.ended, "the session has ended, so its switching mode can't be changed.")
        }
        if mode == .voice { try listen(to: session) }
        let arrangement = session.currentPlan.program?.arrangement
        state.withLock { state in
            // Earlier manual changes don't pause switching.
            (state.mode, state.knownArrangement) = (mode, arrangement)
            (state.lastManualChange, state.isNew) = (nil, state.choice != nil)
        }
    }

    /// Attaches a tap to each microphone, unless taps were attached before.
    private func listen(to session: MulticamSession) throws(SessionChangeError) {
        let isListening = state.withLock { state in
            defer { state.isListening = true }
            return state.isListening
        }
        guard !isListening else { return }
        let present = session.currentPlan.microphones.map(\.role)
        var taps: [AudioTap] = []
        do throws(SessionChangeError) {
            for (index, speaker) in speakers.enumerated() where present.contains(speaker.microphone) {
                let tap = AudioTap(role: speaker.microphone) { self.process($0, from: index) }
                try session.attach(tap)
                taps.append(tap)
            }
        } catch {
            for tap in taps { session.detach(tap) }
            state.withLock { $0.isListening = false }
            throw error
        }
    }

    private func process(_ slice: AudioTap.Slice, from index: Int) {
        let channels = max(1, slice.channels)
        let mono = stride(from: 0, through: slice.samples.count - channels, by: channels).map { first in
            slice.samples[first..<first + channels].reduce(0, +) / Float(channels)
        }
        state.withLock { state in
            // Sample numbers restart at T0 in a new recording, so the stored levels belong to the previous
            // recording.
            if slice.firstSample / 480 + 10 < Int64(state.meters[index].count) {
                state.meters = state.meters.map { _ in VoiceMeter() }
                state.voice.restart()
                state.lastManualChange? -= state.used
                (state.used, state.changedAt) = (0, 0)
                (state.choice, state.isNew, state.isSubstitute) = (nil, false, false)
                state.refused = ([], 0)
            }
            let start = MediaTime(nanoseconds: slice.firstSample.rescaled(from: 48_000, to: 1_000_000_000))
            state.meters[index].begin(at: start)
            state.meters[index].skip(to: start)
            state.meters[index].add(mono)
            applyPlan(&state)
            let common =
                speakers.indices.filter { !state.removedMicrophones.contains(speakers[$0].microphone) }
                .map { state.meters[$0].count }.min() ?? 0
            // There are no levels from before the taps were attached.
            let first = state.meters.map(\.droppedCount).max() ?? 0
            if state.used < first { (state.used, state.changedAt) = (first, first) }
            while state.used < common {
                if state.used % Self.checkInterval == 0 { checkDevices(&state) }
                let powers = speakers.indices.map { index in
                    let meter = state.meters[index]
                    let isIgnored = state.health.mutedMicrophones.union(state.removedMicrophones)
                        .contains(speakers[index].microphone)
                    return isIgnored ? nil : meter.powers[state.used - meter.droppedCount]
                }
                state.used += 1
                if let choice = state.voice.add(powers) { (state.choice, state.isNew) = (choice, true) }
                update(&state)
            }
            for index in state.meters.indices { state.meters[index].drop(before: state.used) }
        }
    }

    /// Finds the cameras that can't be shown, and the microphones that the user has muted in the program.
    private func checkDevices(_ state: inout State) {
        guard let session = state.session else { return }
        if state.used >= state.refused.until { state.refused.cameras = [] }
        let status = session.status
        state.health.faultyCameras = Set(status.cameras.filter { $0.fault != nil }.map(\.role))
        state.health.mutedMicrophones = mixed.subtracting(session.currentPlan.program?.mix ?? [])
    }

    /// Detects manual changes of the picture and the removal of microphones.
    private func applyPlan(_ state: inout State) {
        guard let plan = state.session?.currentPlan else { return }
        state.removedMicrophones.formUnion(
            Set(speakers.map(\.microphone)).subtracting(plan.microphones.map(\.role)))
        let now = plan.program?.arrangement
        guard now != state.knownArrangement else { return }
        state.knownArrangement = now
        if state.mode == .voice { state.lastManualChange = state.used }
        state.isSubstitute = false
    }

    /// Updates the program's picture if necessary. A new choice, or a replacement for a camera that can't be shown,
    /// takes effect immediately. When the chosen camera can be shown again, it returns after the minimum length of a
    /// shot.
    private func update(_ state: inout State) {
        guard state.mode == .voice else { return }
        if let since = state.lastManualChange, state.used - since >= Self.manualChangePause {
            // The current speaker is shown again, even if the speaker didn't change during the pause.
            (state.lastManualChange, state.isNew) = (nil, state.choice != nil)
        }
        guard state.isNew || state.isSubstitute || !state.health.faultyCameras.isEmpty,
            let shown = state.knownArrangement?.shown
        else { return }
        let faulty = state.health.faultyCameras.union(state.refused.cameras)
        let isUrgent = shown.contains(where: state.health.faultyCameras.contains)
        let isOver = state.used - state.changedAt >= minLevels
        guard state.isNew || isUrgent || state.isSubstitute && isOver else { return }
        let camera: String? =
            if case .speaker(let index) = state.choice { speakers[index].camera } else { nil }
        let wanted = shots.shown(camera, without: faulty, previous: shown)
        let isSubstitute = wanted != shots.shown(camera, without: [], previous: shown)
        guard wanted != shown else {
            // Before the first choice is made, the program shows the arrangement from the profile.
            (state.isNew, state.isSubstitute) = (false, isSubstitute && state.choice != nil)
            return
        }
        guard !wanted.contains(where: state.refused.cameras.contains), commit(wanted, &state) else { return }
        (state.isNew, state.isSubstitute, state.changedAt) = (false, isSubstitute, state.used)
    }

    /// Shows cameras in the program, unless the user has recently changed the picture.
    ///
    /// - Returns: Whether the cameras are now shown.
    private func commit(_ roles: [String], _ state: inout State) -> Bool {
        applyPlan(&state)
        guard let session = state.session, state.lastManualChange == nil, let main = roles.first else {
            return false
        }
        var change = ArrangementChange()
        change.layout = .wide(roles.count)
        (change.main, change.insets) = (main, Array(roles.dropFirst()))
        do throws(SessionChangeError) {
            let since = Nanoseconds.milliseconds(10 * Int64(state.used))
            try session.apply([.arrange(change)], at: session.status.start.map { $0 + since })
            state.knownArrangement = session.currentPlan.program?.arrangement
            return true
        } catch {
            // A camera was removed, or the session has ended. Other cameras are tried in the meantime.
            state.refused = (state.refused.cameras.union(roles), state.used + Self.manualChangePause)
            return false
        }
    }
}

extension SessionSetup {
    /// Creates the automatic switching of a session, in the mode that the profile selects. It ends with the session.
    ///
    /// - Parameter session: A session of this setup that hasn't started recording yet.
    /// - Returns: The switcher; `nil` if the session can't switch by voice.
    @discardableResult
    package func makeVoiceSwitcher(for session: MulticamSession) -> SessionVoiceSwitcher? {
        guard let program = profile?.program,
            let switcher = SessionVoiceSwitcher(plan, minShot: program.minShot, session: session)
        else { return nil }
        do throws(SessionChangeError) {
            try switcher.setMode(program.switching)
        } catch {
            preconditionFailure("the session must contain all microphones of its plan: \(error)")
        }
        session.keep(switcher)
        return switcher
    }
}

extension MulticamSession {
    /// Automatic switching of the session; `nil` if the session can't switch by voice.
    package var voiceSwitcher: SessionVoiceSwitcher? { companion(of: SessionVoiceSwitcher.self) }

    /// How the program's shots are selected: by changes of the application, or automatically by voice. After a change by the
    /// application, automatic switching pauses for 10 s.
    public var switching: ProgramSettings.Switching { voiceSwitcher?.mode ?? .manual }

    /// Turns automatic switching on or off. If it is turned on, the current speaker is shown immediately.
    ///
    /// - Parameter mode: How shots are selected from now on.
    /// - Throws: `SessionChangeError` if the session has ended, or if it can't switch by voice.
    public func setSwitching(_ mode: ProgramSettings.Switching) throws(SessionChangeError) {
        if hasEnded {
            throw SessionChangeError(.ended, "the session has ended, so its switching mode can't be changed.")
        }
        guard let voiceSwitcher else {
            if mode == .manual { return }
            throw SessionChangeError(
                .unsupported,
                "this session can't switch by voice. It needs a program, two cameras, and a microphone that is assigned to a camera."
            )
        }
        try voiceSwitcher.setMode(mode)
    }
}
