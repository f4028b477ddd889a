internal import MulticamControl
internal import MulticamMedia
internal import MulticamMediaServing
internal import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
internal import MulticamSetup

/// Makes a session available to other processes of this user: `multicam ctl` and the control room control it, other
/// processes receive its frames and audio, and the profile's live outputs are sent.
///
/// ```swift
/// let services = try await SessionServices(for: session) { print($0) }
/// let result = try await session.record()
/// await services.stop()
/// ```
public final class SessionServices: Sendable {
    private let controller: SessionController
    private let control: ControlServer
    private let media: MediaServer
    private let publisher: LivePublisher
    private let events: Task<Void, Never>

    /// Begins to serve a session that makes one recording, without standby, and that hasn't started yet. Retains the session
    /// until `stop`. A process can serve only one session at a time.
    ///
    /// - Parameters:
    ///   - session: A session that was created for a configuration.
    ///   - notify: Receives messages for the user, on any thread.
    /// - Throws: `SetupError` if the sockets for other processes can't be opened, or if the session was created for a plan.
    public init(
        for session: MulticamSession, notify: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(SetupError) {
        guard let setup = session.provider as? SessionSetup, setup.request != nil else {
            throw .usage(
                "this session was created for a plan. Only a session that was created for a configuration can be controlled by other processes."
            )
        }
        let controller = SessionController(notify: notify)
        let plan = setup.plan
        do throws(ControlError) {
            media = try MediaServer()
        } catch {
            throw .usage(error.description)
        }
        do throws(ControlError) {
            control = try ControlServer { request throws(ControlError) in
                try controller.prepareCommand(for: request, pausedPlan: plan)
            }
        } catch {
            media.stop()
            throw .usage(error.description)
        }
        publisher = LivePublisher(
            of: media, withholding: setup.profile?.secretVariables ?? [], notify: notify)
        controller.attach(control)
        controller.attach(media)
        controller.attach(publisher)
        controller.attach(session, setup)
        self.controller = controller
        let stream = session.events
        events = Task {
            for await event in stream {
                controller.send(event)
                if case .started(let started) = event.content {
                    controller.notifyRecordingStarted(folder: started.folder)
                }
            }
        }
    }

    /// Ends all live outputs and connections of other processes. The session isn't affected.
    public func stop() async {
        controller.notifyRecordingEnded()
        controller.release()
        events.cancel()
        await publisher.end()
        await MediaThread.perform(named: "services") { [control, media] in
            control.stop()
            media.stop()
        }
    }
}
