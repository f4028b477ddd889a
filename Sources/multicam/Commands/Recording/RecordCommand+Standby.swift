internal import Control
import Media
import MulticamKit
import Session
import SessionFolder
import Setup

extension RecordCommand {
    /// Keeps the devices running, and records on command, until a command or a signal ends it.
    ///
    /// - Returns: The worst exit status of all recordings.
    /// - Throws: The error of the first start of the devices. Later ones are printed, and the next step tries again.
    func standBy() async throws -> ExitStatus {
        guard let first = try await makeSetup(duration) else { return .overBudget }
        let control = listen(first.plan)
        defer { control?.stop() }
        var results: [RecordingResult] = []
        let leader = first.leadingRole
        var setup: SessionSetup? = first
        var followed: RoleSelection?
        var wish: StandbyStep?
        while true {
            var step: StandbyStep?
            if let present = setup {
                // Released here, so that its devices are not held after this pass.
                setup = nil
                do {
                    step = try await standBy(present, recordingAtOnce: wish, &results)
                } catch RecordingError.stopped {
                    break
                } catch {
                    if results.isEmpty, followed == nil, wish == nil { throw error }
                    tellLackOfDevices(error)
                }
            }
            if step == nil { step = await steering.nextStep() }
            wish = nil
            switch step {
            case .start: wish = step
            case .follow(let camera):
                Output.message("from now on with \(camera.name.printable()).")
                followed = leader.map { RoleSelection(role: $0, selector: camera.selector) }
            case .end, nil: return RecordConclusion(results).status
            }
            do {
                setup = try await makeSetup(duration, followed: followed)
                if setup == nil { steering.tellBeginning(folder: nil) }
            } catch {
                tellLackOfDevices(error)
            }
        }
        return RecordConclusion(results).status
    }

    private func tellLackOfDevices(_ error: any Error) {
        Output.message(
            "\(error) Nothing stands by now: `multicam ctl start` tries again.".printable(limit: 4000))
        steering.tellBeginning(folder: nil)
    }

    /// Runs one session on standby, with one set of devices.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened devices.
    ///   - recordingAtOnce: The request for a recording that was made already, if any.
    ///   - results: Receives the result of each recording.
    /// - Returns: The step that needs other devices, or ends the standby.
    /// - Throws: The error of devices that do not start.
    private func standBy(
        _ setup: SessionSetup, recordingAtOnce: StandbyStep?, _ results: inout [RecordingResult]
    ) async throws -> StandbyStep? {
        let session = makeSession(setup, duration: duration)
        let printer = Task { await printEvents(of: session, setup) }
        let status = Task { await showStatus(of: session) }
        let following = try CameraFollowing(of: setup, application: request.application)
        if let following { steering.follow(following) }
        let watch = Task { [steering] in
            guard let following else { return }
            for await camera in following.cameras() { steering.take(camera) }
        }
        let last: StandbyStep
        do {
            try await session.standBy()
            last = await follow(session, setup.plan.profile, recordingAtOnce, following, &results)
        } catch {
            await end(session, following, watch, status, printer)
            throw error
        }
        await end(session, following, watch, status, printer)
        return last
    }

    private func follow(
        _ session: MulticamSession, _ name: String, _ recordingAtOnce: StandbyStep?,
        _ following: CameraFollowing?,
        _ results: inout [RecordingResult]
    ) async -> StandbyStep {
        var asked = recordingAtOnce
        while true {
            session.tell(SessionEvent(.standby, at: .zero))
            if asked == nil { asked = await steering.nextStep() }
            let (start, duration): (ClockTime?, Nanoseconds?)
            switch asked {
            case .start(let wished, let length): (start, duration) = (wished, length)
            case .follow(let camera): return .follow(camera)
            case .end, nil: return .end
            }
            asked = nil
            following?.recordingBegan()
            steering.record(true)
            await record(session, name, from: start, for: duration, &results)
            steering.record(false)
            if steering.isStopped { return .end }
            if let camera = following?.recordingEnded() { return .follow(camera) }
        }
    }

    /// Makes one recording with running devices. When it cannot begin, the error is printed, and the devices continue.
    private func record(
        _ session: MulticamSession, _ name: String, from start: ClockTime?, for duration: Nanoseconds?,
        _ results: inout [RecordingResult]
    ) async {
        let lock = InhibitorLock("records the profile “\(name)”.")
        defer { lock?.release() }
        do {
            var options = session.options
            options.start = start
            options.duration = duration ?? options.duration
            let result = try await session.record(with: options)
            steering.tellEnd()
            results.append(result)
            FinishedProjects.write(for: result)
            let conclusion = RecordConclusion([result])
            for message in conclusion.messages { Output.message(message) }
            steering.tellVerdict(result.verdict.text)
            if let event = conclusion.event { session.tell(event) }
        } catch {
            Output.message(error.description)
            steering.tellBeginning(folder: nil)
        }
    }

    private func end(
        _ session: MulticamSession, _ following: CameraFollowing?, _ watch: Task<Void, Never>,
        _ status: Task<Void, Never>, _ printer: Task<Void, Never>
    ) async {
        steering.release()
        following?.stop()
        watch.cancel()
        await watch.value
        await session.close()
        await printer.value
        status.cancel()
        await status.value
    }
}
