internal import MulticamControl
internal import MulticamMedia
internal import MulticamMediaServing
internal import MulticamPlan
internal import MulticamProfiles
public import MulticamSession
internal import MulticamSessionFolder
public import MulticamSetup
internal import MulticamSystem

/// Connects the sessions of a program to other processes of this user.
///
/// A session that was created by the services can use network cameras, screens, phones, and devices of other processes.
/// `multicam ctl` and the control room control it, other processes receive its frames and audio, and the profile's live
/// outputs are sent.
///
/// ```swift
/// let services = try await SessionServices { print($0) }
/// let session = try await services.makeSession(SessionConfiguration(profile: "pip"))
/// try await session.standBy()
/// let result = try await session.record(duration: .seconds(10))
/// await session.close()
/// await services.stop()
/// ```
///
/// Network cameras, screens, live outputs, and automatic framing need the helper programs `multicam-sources`, `multicam-live`, and
/// `multicam-vision`. They are found next to the program, in `libexec/multicam` of its installation, or where `multicam` is installed.
public final class SessionServices: Sendable {
    /// A session and the objects that exist only for it.
    private struct Served {
        let session: MulticamSession
        let sources: NetworkSources
        let publisher: LivePublisher
        let analysis: FrameAnalysisService
        let events: Task<Void, Never>
    }

    private struct State {
        var served: Served?
        var control: ControlServer?
        /// The plan that `multicam ctl status` reports while there is no session.
        var plan = SessionPlan(named: "")
        /// Whether `makeSession` is running.
        var isOpening = false
        var isStopped = false
    }

    /// The recordings that `multicam ctl start` or the control room has started, each as soon as its start was requested.
    /// Only one task can iterate over them.
    public let requestedRecordings: AsyncStream<Recording>
    private let requestSink: AsyncStream<Recording>.Continuation
    private let notify: @Sendable (String) -> Void
    private let helperFolder: String?
    private let controller: SessionController
    private let devices: RemoteDevices
    private let media: MediaServer
    private let state = ConditionLock(State())

    /// Opens the socket for other processes.
    ///
    /// - Parameters:
    ///   - helperFolder: Path of the folder that contains the helper programs; `nil` to find them.
    ///   - notify: Receives messages for the user, on any thread.
    /// - Throws: `SetupError` if the socket can't be opened.
    public init(
        helperFolder: String? = nil, notify: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(SetupError) {
        (requestedRecordings, requestSink) = AsyncStream.makeStream(of: Recording.self)
        (self.helperFolder, self.notify) = (helperFolder, notify)
        controller = SessionController(isStandby: nil, notify: notify)
        let devices = RemoteDevices(unless: controller.stopCancellation)
        self.devices = devices
        do throws(ControlError) {
            media = try await MediaThread.perform(named: "services") { () throws(ControlError) in
                try MediaServer(devices: devices)
            }
        } catch {
            throw .usage(error.description)
        }
        controller.attach(media)
        Task(executorPreference: TaskThreads.shared) { [weak self, controller] in
            while let step = await controller.nextStep() { await self?.perform(step) }
        }
    }

    deinit {
        requestSink.finish()
        controller.endStandby()
        controller.release()
        let (served, control) = state.withLock { ($0.served, $0.control) }
        Task(executorPreference: TaskThreads.shared) { [media] in
            if let served { await Self.end(served) }
            await Self.close(control, media)
        }
    }

    /// Finds and opens the devices of a configuration like `MulticamSession.init`, and serves the session until it ends.
    /// Waits up to 15 s for each network camera and each device of another process, and up to 2 min for a phone.
    ///
    /// - Parameters:
    ///   - configuration: The profile, the devices for its roles, and the options of the recordings.
    ///   - machine: The computer whose capacity limits the session. By default, this computer.
    /// - Returns: The session. The services retain it until it has ended and another session is created, or until `stop`.
    /// - Throws: The errors of `MulticamSession.init`; `SetupError.usage` if another session of these services hasn't ended, or
    ///   if the services have been stopped.
    public func makeSession(
        _ configuration: SessionConfiguration, on machine: SessionMachine = .current
    ) async throws(SetupError) -> MulticamSession {
        let problem = state.withLock { state -> String? in
            if state.isStopped || controller.isStopRequested {
                return "the session's services have been stopped. Create new services."
            }
            guard !state.isOpening, state.served?.session.hasEnded ?? true else {
                return "these services already have a session. Close it before you create another one."
            }
            state.isOpening = true
            return nil
        }
        if let problem { throw .usage(problem) }
        await release()
        let result: Result<Served, SetupError>
        do throws(SetupError) {
            result = .success(try await open(configuration, on: machine))
        } catch {
            result = .failure(error)
        }
        let isStopped = state.withLock { state in
            state.isOpening = false
            if case .success(let served) = result, !state.isStopped { state.served = served }
            return state.isStopped
        }
        let served = try result.get()
        if isStopped {
            await Self.end(served)
            controller.release()
            throw .usage("the session's services were stopped in the meantime. Create new services.")
        }
        return served.session
    }

    private func open(
        _ configuration: SessionConfiguration, on machine: SessionMachine
    ) async throws(SetupError) -> Served {
        var configuration = try await MediaThread.perform(named: "setup") { () throws(SetupError) in
            try SessionSetup.loadProfile(for: configuration)
        }
        let secrets = configuration.loadedProfile?.secretVariables ?? []
        let sources = NetworkSources(
            of: media, sentTo: devices, program: helper("multicam-sources"), withholding: secrets,
            notify: notify)
        configuration.remoteDevices = sources
        state.withLock { $0.plan = SessionPlan(named: configuration.profile) }
        do throws(SetupError) {
            // The control room can connect a phone only to a process with a control socket.
            try openControl()
            let session = try await MulticamSession(configuration, on: machine)
            guard let setup = session.provider as? SessionSetup else {
                preconditionFailure("a session of a configuration must have a setup")
            }
            state.withLock { $0.plan = setup.plan }
            let publisher = LivePublisher(
                of: media, program: helper("multicam-live"), withholding: secrets, notify: notify)
            controller.attach(publisher)
            let analysis = FrameAnalysisService(
                of: media, program: helper("multicam-vision"), withholding: secrets, notify: notify)
            controller.attach(analysis)
            setup.makeFramer(for: session)
            controller.attach(session, setup)
            return Served(
                session: session, sources: sources, publisher: publisher, analysis: analysis,
                events: forwardEvents(of: session))
        } catch {
            await MediaThread.perform(named: "services") { sources.end() }
            throw error
        }
    }

    /// Returns the path of a helper program; `nil` if it isn't installed.
    private func helper(_ name: String) -> String? {
        helperFolder.map { "\($0)/\(name)" } ?? ProgramPath.sibling(name) ?? ProgramPath.installed(name)
    }

    /// Opens the control socket, unless it is open.
    private func openControl() throws(SetupError) {
        guard state.withLock({ $0.control == nil }) else { return }
        do throws(ControlError) {
            let server = try ControlServer { [weak self, controller] request throws(ControlError) in
                let plan = self?.state.withLock(\.plan) ?? SessionPlan(named: "")
                return try controller.prepareCommand(for: request, pausedPlan: plan)
            }
            state.withLock { $0.control = server }
            controller.attach(server)
        } catch {
            throw .usage(error.description)
        }
    }

    /// Sends the events of a session to the subscribed processes.
    private func forwardEvents(of session: MulticamSession) -> Task<Void, Never> {
        let stream = session.events
        return Task(executorPreference: TaskThreads.shared) { [controller] in
            for await event in stream {
                switch event.content {
                case .started(let started): controller.notifyRecordingStarted(folder: started.folder)
                case .standby: controller.notifyRecordingEnded()
                default: break
                }
                controller.send(event)
            }
            controller.notifyRecordingEnded()
        }
    }

    /// Executes a request of `multicam ctl` or the control room.
    private func perform(_ step: StandbyStep) async {
        guard let session = state.withLock({ $0.served?.session }) else {
            return controller.notifyRecordingStarted(folder: nil)
        }
        switch step {
        case .start(let time, let duration):
            var options = session.options
            options.start = time
            options.duration = duration ?? options.duration
            do throws(RecordingError) {
                let recording = try session.beginRecording(with: options)
                requestSink.yield(recording)
                Task(executorPreference: TaskThreads.shared) { [self] in
                    do throws(RecordingError) {
                        _ = try await recording.result
                    } catch {
                        notify(error.description)
                        // Only a recording that hasn't begun leaves the request without an answer.
                        if recording.startTime == nil { controller.notifyRecordingStarted(folder: nil) }
                    }
                }
            } catch {
                notify(error.description)
                controller.notifyRecordingStarted(folder: nil)
            }
        case .end: await session.close(stopsRecording: true)
        case .switchCamera: break
        }
    }

    /// Ends all live outputs, the helper programs, and the connections of other processes. The session isn't affected, except
    /// that network cameras and devices of other processes disconnect.
    public func stop() async {
        let control = state.withLock { state in
            state.isStopped = true
            return state.control
        }
        controller.endStandby()
        controller.notifyRecordingEnded()
        await release()
        requestSink.finish()
        await Self.close(control, media)
    }

    private static func close(_ control: ControlServer?, _ media: MediaServer) async {
        await MediaThread.perform(named: "services") {
            control?.stop()
            media.stop()
        }
    }

    /// Stops serving the current session.
    private func release() async {
        let served = state.withLock { state in
            defer { state.served = nil }
            return state.served
        }
        guard let served else { return }
        controller.release()
        await Self.end(served)
    }

    private static func end(_ served: Served) async {
        served.events.cancel()
        await served.publisher.end()
        await served.analysis.end()
        await MediaThread.perform(named: "services") { served.sources.end() }
    }
}
