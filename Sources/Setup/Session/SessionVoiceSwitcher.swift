internal import MulticamInputs
internal import MulticamInterchange
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession

/// Switches the program to the active speaker while a session is running.
///
/// Receives the microphones' audio through taps on the taps' threads, and commits the same kinds of changes
/// as a user. Microphones that the user has muted are ignored, and cameras with a fault aren't shown
/// (`CameraInput.fault`). After a manual change of the picture, automatic switching pauses for 10 s.
final class SessionVoiceSwitcher: Sendable {
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
        /// Time of the last detected manual change, in level measurements.
        var lastManualChange: Int?
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

    /// Attaches taps to the microphones of a session.
    ///
    /// - Parameters:
    ///   - plan: The plan of the session. Only microphones assigned to a camera are used.
    ///   - minShot: Minimum length of a shot.
    ///   - session: The session, not yet started.
    /// - Throws: `SessionChangeError` if a microphone can't be tapped.
    init(_ plan: SessionPlan, minShot: Nanoseconds, session: MulticamSession) throws(SessionChangeError) {
        speakers = plan.microphones.compactMap { microphone in
            microphone.camera.map { (microphone: microphone.role, camera: $0) }
        }
        shots = VoiceShots(cameras: speakers.map(\.camera), all: plan.cameras.map(\.role))
        mixed = Set(plan.program?.mix ?? [])
        minLevels = Int(clamping: (minShot + Self.delay).count / 10_000_000)
        state = ConditionLock(
            State(
                session: session, meters: speakers.map { _ in VoiceMeter() },
                voice: VoiceSwitcher(microphones: speakers.count, minShot: minShot + Self.delay),
                knownArrangement: plan.program?.arrangement))
        for (index, speaker) in speakers.enumerated() {
            try session.attach(AudioTap(role: speaker.microphone) { self.process($0, from: index) })
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
                (state.used, state.changedAt) = (0, 0)
                (state.choice, state.isNew, state.isSubstitute) = (nil, false, false)
                state.refused = ([], 0)
            }
            state.meters[index].skip(
                to: MediaTime(nanoseconds: slice.firstSample.rescaled(from: 48_000, to: 1_000_000_000)))
            state.meters[index].add(mono)
            let common = state.meters.map(\.count).min() ?? 0
            detectManualChange(&state)
            while state.used < common {
                if state.used % Self.checkInterval == 0 { checkDevices(&state) }
                let powers = speakers.indices.map { index in
                    let meter = state.meters[index]
                    return state.health.mutedMicrophones.contains(speakers[index].microphone)
                        ? nil : meter.powers[state.used - meter.droppedCount]
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

    /// Detects manual changes of the picture.
    private func detectManualChange(_ state: inout State) {
        guard let session = state.session else { return }
        let now = session.currentPlan.program?.arrangement
        guard now != state.knownArrangement else { return }
        state.knownArrangement = now
        state.lastManualChange = state.used
        state.isSubstitute = false
    }

    /// Updates the program's picture if necessary. A new choice, or a replacement for a camera that can't be shown,
    /// takes effect immediately. When the chosen camera can be shown again, it returns after the minimum length of a
    /// shot.
    private func update(_ state: inout State) {
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
        detectManualChange(&state)
        guard let session = state.session, let main = roles.first else { return false }
        if let since = state.lastManualChange {
            guard state.used - since >= Self.manualChangePause || state.used < since else { return false }
            state.lastManualChange = nil
        }
        var change = ArrangementChange()
        change.layout = roles.count > 1 ? .grid : .single
        (change.main, change.insets) = (main, Array(roles.dropFirst()))
        do throws(SessionChangeError) {
            let since = Nanoseconds.milliseconds(10 * Int64(state.used))
            try session.commit([.arrange(change)], at: session.status.start.map { $0 + since })
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
    /// Switches the program of a session to the active speaker if the profile contains
    /// `program: { switching: voice }`. Automatic switching ends with the session.
    ///
    /// - Parameter session: A session of this setup that hasn't started recording yet.
    package func enableVoiceSwitching(for session: MulticamSession) {
        guard let program = profile?.program, program.switching == .voice, !plan.microphones.isEmpty else {
            return
        }
        do throws(SessionChangeError) {
            _ = try SessionVoiceSwitcher(plan, minShot: program.minShot, session: session)
        } catch {
            preconditionFailure("the session must contain all microphones of its plan: \(error)")
        }
    }
}
