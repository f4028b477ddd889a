package import MulticamControl
internal import MulticamMedia
package import MulticamPlan
internal import MulticamSession
internal import MulticamSetup
internal import MulticamTiming

extension SessionController {
    /// Prepares a command from the control socket.
    ///
    /// - Parameters:
    ///   - request: The command.
    ///   - pausedPlan: The plan that the command `status` reports while no session exists.
    /// - Returns: A closure that executes the command. Commands that add devices, set controls, take stills,
    ///   start a recording, or switch cameras block the calling thread. Starting a recording can block the
    ///   thread for up to 20 s.
    /// - Throws: `ControlError.usage` if the request is invalid.
    package func prepareCommand(
        for request: CommandRequest, pausedPlan: SessionPlan
    ) throws(ControlError) -> ControlServer.Command {
        let parsed = try SessionCommand.parse(request)
        if request.isFromGroup, let refusal = parsed.groupRefusal { throw .usage(refusal) }
        let properties = parsed.command.properties
        return ControlServer.Command(
            blocks: properties.contains(.blocks), isImmediate: properties.contains(.isImmediate)
        ) { [self] arrival, answer in
            perform(parsed, at: arrival, pausedPlan: pausedPlan, answer)
        }
    }

    private func perform(
        _ parsed: ParsedCommand, at arrival: ClockTime, pausedPlan: SessionPlan,
        _ answer: @escaping ControlServer.ReplyHandler
    ) {
        let properties = parsed.command.properties
        let (session, isStopped, isRecording) = current
        let context = CommandContext(
            controller: self, isRecording: isRecording, isStopRequested: isStopped,
            arrival: clock.time(stamped: arrival), pausedPlan: pausedPlan, answer: answer)
        guard let session else { return answer(parsed.performIdle(context)) }
        if isStopped, !properties.contains(.isAlwaysValid) {
            return answer(ControlReply(ok: false, text: "The recording is ending."))
        }
        if !isRecording, properties.contains(.needsRecording) {
            return answer(
                ControlReply(
                    ok: false, text: "Nothing is being recorded. Start a recording with `multicam ctl start`."
                ))
        }
        if let reply = parsed.perform(session, context) { answer(reply) }
    }

    /// Adds or replaces a device of the recording and waits until the device delivers data.
    ///
    /// - Parameters:
    ///   - session: The current session.
    ///   - success: The reply to send if the change succeeds.
    ///   - change: Makes the change, using the session's setup.
    /// - Returns: The reply to the sender.
    func changeDevices(
        of session: MulticamSession, confirmation success: String,
        _ change: (SessionSetup) throws(SetupError) -> Void
    ) -> ControlReply {
        guard let setup, session.status.phase == .recording else {
            return CommandContext.notRecordingReply
        }
        do throws(SetupError) {
            try change(setup)
            return ControlReply(ok: true, text: success)
        } catch .refused(let error) {
            return ControlReply(error)
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    /// Adjusts the clock to a measurement of the group's time.
    func apply(_ measurement: ClockMeasurement) -> ControlReply {
        do throws(ClockMeasurementError) {
            try clock.update(with: measurement)
            return ControlReply(ok: true, text: "The clock measurement was applied.")
        } catch {
            return ControlReply(ok: false, text: "The clock measurement was rejected: \(error).")
        }
    }
}
