internal import Inputs
internal import Interchange
internal import Media
internal import Plan
internal import Profiles
public import Session

/// Cuts the program by voice while a session runs: whoever speaks is shown.
///
/// It hears the microphones by taps, whose threads call it, and commits changes like a person would. After a person's own change of the
/// picture it leaves the program alone for a while.
final class SessionVoices: Sendable {
    /// How long a person's own change holds, in levels of 10 ms.
    private static let patience = 1000
    /// A change is shown some ticks after it is decided: so much longer is a shot than asked, at most.
    private static let delay = Nanoseconds.milliseconds(100)

    /// What the taps' threads share. The session holds the taps.
    private struct State {
        weak var session: MulticamSession?
        var meters: [VoiceMeter]
        var voice: LiveVoice
        /// How many levels of each microphone were used.
        var used = 0
        /// The change that is to be committed.
        var wanted: ArrangementChange?
        /// The arrangement after the last change that was noticed.
        var known: ProgramArrangement?
        /// When a person's change was noticed, in levels.
        var personSince: Int?
    }

    private let state: ConditionLock<State>
    private let cameras: [String]
    private let wide: ArrangementChange

    /// Hears the microphones of a session.
    ///
    /// - Parameters:
    ///   - plan: The plan of the session; its microphones have cameras.
    ///   - shortest: Length of the shortest shot.
    ///   - session: The session, before it runs.
    /// - Throws: `SessionChangeError` when a microphone cannot be tapped.
    init(_ plan: SessionPlan, shortest: Nanoseconds, session: MulticamSession) throws(SessionChangeError) {
        let speakers = plan.microphones.compactMap { microphone in
            microphone.camera.map { (microphone: microphone.role, camera: $0) }
        }
        cameras = speakers.map(\.camera)
        wide = Self.wide(of: plan.cameras.map(\.role), speakers: cameras)
        state = ConditionLock(
            State(
                session: session, meters: speakers.map { _ in VoiceMeter() },
                voice: LiveVoice(microphones: speakers.count, shortest: shortest + Self.delay),
                known: plan.program?.arrangement))
        for (index, speaker) in speakers.enumerated() {
            try session.attach(AudioTap(role: speaker.microphone) { self.hear($0, from: index) })
        }
    }

    /// A camera that no microphone belongs to, else all of them in a grid.
    private static func wide(of all: [String], speakers: [String]) -> ArrangementChange {
        let free = all.first { !speakers.contains($0) }
        var wide = ArrangementChange()
        wide.layout = free == nil ? .grid : .single
        wide.main = free ?? all.first
        wide.insets = free == nil ? Array(all.dropFirst()) : []
        return wide
    }

    private func hear(_ slice: AudioTap.Slice, from index: Int) {
        let channels = max(1, slice.channels)
        let mono = stride(from: 0, through: slice.samples.count - channels, by: channels).map { first in
            slice.samples[first..<first + channels].reduce(0, +) / Float(channels)
        }
        state.withLock { state in
            // A recording begins anew at T0; the voices are those of before.
            if slice.firstSample / 480 + 10 < Int64(state.meters[index].count) {
                state.meters = state.meters.map { _ in VoiceMeter() }
                state.voice.beginAgain()
                state.used = 0
            }
            state.meters[index].skip(
                to: MediaTime(nanoseconds: slice.firstSample.rescaled(from: 48_000, to: 1_000_000_000)))
            state.meters[index].add(mono)
            let common = state.meters.map(\.count).min() ?? 0
            notice(&state)
            while state.used < common {
                let powers = state.meters.map { $0.powers[state.used - $0.forgotten] }
                state.used += 1
                if let choice = state.voice.add(powers) { state.wanted = change(for: choice) }
                if state.wanted != nil { commit(&state) }
            }
            for index in state.meters.indices { state.meters[index].forget(before: state.used) }
        }
    }

    /// Notices that a person has changed the picture.
    private func notice(_ state: inout State) {
        guard let session = state.session else { return }
        let now = session.currentPlan.program?.arrangement
        guard now != state.known else { return }
        state.known = now
        state.personSince = state.used
    }

    /// Commits the wanted change, unless a person has changed the picture of late.
    private func commit(_ state: inout State) {
        notice(&state)
        guard let session = state.session, let wanted = state.wanted else { return }
        if let since = state.personSince {
            guard state.used - since >= Self.patience || state.used < since else { return }
            state.personSince = nil
        }
        state.wanted = nil
        do throws(SessionChangeError) {
            let since = Nanoseconds.milliseconds(10 * Int64(state.used))
            try session.commit([.arrange(wanted)], at: session.status.start.map { $0 + since })
            state.known = session.currentPlan.program?.arrangement
        } catch {
            // A camera is away, or nothing runs any more: the next change of voices tries again.
            return
        }
    }

    private func change(for choice: LiveVoice.Choice) -> ArrangementChange {
        guard case .speaker(let index) = choice else { return wide }
        var change = ArrangementChange()
        (change.layout, change.main, change.insets) = (.single, cameras[index], [])
        return change
    }
}

extension SessionSetup {
    /// Lets the program of a session show whoever speaks, where the profile says `program: { cut: voice }`. It ends with the session.
    ///
    /// - Parameter session: A session of this setup, before it records.
    public func followVoices(of session: MulticamSession) {
        guard let program = profile?.program, program.cutting == .voice, !plan.microphones.isEmpty else {
            return
        }
        do throws(SessionChangeError) {
            _ = try SessionVoices(plan, shortest: program.shortestShot, session: session)
        } catch {
            preconditionFailure("a session has the microphones of its own plan: \(error)")
        }
    }
}
