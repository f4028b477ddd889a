internal import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamSession
internal import MulticamTiming

extension SessionCommand {
    /// The text of a marker, and its time relative to T0. If `at` is `nil`, the marker is set at the current
    /// time.
    struct Marker: Sendable, Equatable {
        let text: String
        var at: MediaTime?
    }

    /// The start time and the duration of a recording. The recording starts now, or its T0 is at a
    /// `CLOCK_MONOTONIC` time that corresponds to `utc` in the group's time. The recording runs for the given
    /// duration, or until it's stopped.
    struct Start: Sendable, Equatable {
        var at: ClockTime?
        var utc: Int64?
        var duration: Nanoseconds?
    }

    /// The parsed input of commands that have no arguments.
    struct NoInput: Sendable, Equatable {}

    /// Commands that apply to the whole recording.
    static let recording = [
        SessionCommand(
            "status", "", "show the state of the recording, cameras, microphones, and program",
            [.isImmediate, .isAlwaysValid], groupUse: .allowed,
            parse: { words throws(ControlError) in
                try words.checkEmpty()
                return NoInput()
            },
            idle: { _, context in
                ControlReply(
                    ok: true, text: "Nothing is being recorded.",
                    status: .paused(context.pausedPlan))
            },
            perform: { _, _, context in
                guard let status = context.controller.status else {
                    return ControlReply(ok: false, text: "The session has ended.")
                }
                return ControlReply(ok: true, text: status.state.rawValue, status: status)
            }),
        SessionCommand(
            "mark", "TEXT [at=NS]",
            "add a marker now, or at NS nanoseconds after the start of the recording",
            .needsRecording, groupUse: .allowed,
            parse: { words throws(ControlError) in
                let time = try timeOfMarker(words.words.last)
                let parts = time == nil ? words.words[...] : words.words.dropLast()
                let text = parts.joined(separator: " ").printable(limit: 200)
                guard !text.isEmpty else {
                    throw .usage("`mark` needs the text of the marker. Example: `mark \"question 2\"`.")
                }
                return Marker(text: text, at: time)
            },
            perform: { marker, session, context in
                guard let instant = context.instant(marker.at, in: session) else {
                    return CommandContext.futureTimeReply
                }
                session.mark(marker.text, at: instant) {
                    context.answer(ControlReply($0, did: "marker added: \(marker.text)"))
                }
                return nil
            }),
        SessionCommand(
            "split", "", "continue the recording in new files", .needsRecording, groupUse: .allowed,
            parse: { words throws(ControlError) in
                try words.checkEmpty()
                return NoInput()
            },
            perform: { _, session, context in
                if let refusal = ControlReply.splitRefusal(session.currentPlan) { return refusal }
                session.split(at: context.arrival) {
                    context.answer(ControlReply($0, did: "The recording continues in new files."))
                }
                return nil
            }),
        SessionCommand(
            "start", "[at=NS] [utc=NS] [for=NS]",
            "start a recording in a standby session (`record --standby`). at: start time on CLOCK_MONOTONIC; utc: the same instant in group time; for: duration. All values are in nanoseconds. Default: start now, without a time limit",
            .blocks, groupUse: .coordinatorOnly,
            parse: { words throws(ControlError) in
                let times = try words.times(["at", "utc", "for"])
                guard times["utc"] == nil || times["at"] != nil else {
                    throw .usage("`start utc=` also requires `at=NS`, the same instant on CLOCK_MONOTONIC.")
                }
                return Start(
                    at: times["at"].map { ClockTime(nanoseconds: $0) }, utc: times["utc"],
                    duration: times["for"].map { Nanoseconds($0) })
            },
            idle: { start, context in
                guard context.controller.isStandby, !context.isStopRequested else {
                    return CommandContext.notRecordingReply
                }
                return context.controller.standby.start(start)
            },
            perform: { start, session, context in
                guard context.isRecording else { return context.controller.standby.start(start) }
                return ControlReply(
                    ok: false,
                    text: session.status.phase == .finishing
                        ? "The files of the last recording are still being finalized. Wait a moment, then try again."
                        : "A recording is already running.")
            }),
        SessionCommand(
            "stop", "[at=NS]",
            "stop the recording now, or as of a recent time, NS nanoseconds after its start",
            [.needsRecording, .isImmediate, .ends], groupUse: .coordinatorOnly,
            parse: { words throws(ControlError) in
                StopTime(at: try words.times(["at"])["at"].map { MediaTime(nanoseconds: $0) })
            },
            idle: { _, context in
                context.controller.isStandby
                    ? CommandContext.notRecordingReply : context.controller.endWithoutSession()
            },
            perform: { time, session, context in
                guard let instant = context.instant(time.at, in: session) else {
                    return CommandContext.futureTimeReply
                }
                guard context.controller.stopsOnlyRecording else {
                    return context.controller.end(session, at: instant, isRecording: context.isRecording)
                }
                session.stop(at: instant)
                return ControlReply(
                    ok: true,
                    text: context.controller.isStandby
                        ? "The recording is ending. The session returns to standby."
                        : "The recording is ending.")
            }),
        SessionCommand(
            "quit", "", "stop the recording, if any, and end the session", [.isImmediate, .ends],
            groupUse: .coordinatorOnly,
            parse: { words throws(ControlError) in
                try words.checkEmpty()
                return NoInput()
            },
            idle: { _, context in context.controller.endWithoutSession() },
            perform: { _, session, context in
                context.controller.end(session, at: context.arrival, isRecording: context.isRecording)
            }),
        SessionCommand(
            "clock", "at=NS utc=NS bound=NS",
            "internal, used by `multicam node`: set the group time that corresponds to a CLOCK_MONOTONIC time, with its maximum error",
            [.isImmediate, .isAlwaysValid, .isHidden],
            groupUse: .refused(
                "this command is reserved for the node, which sends the measured group time to its recorder."),
            parse: { words throws(ControlError) in
                let known = ["at", "utc", "bound"]
                let times = try words.times(known)
                guard let stamp = times["at"], let utc = times["utc"], let bound = times["bound"] else {
                    throw .usage("`clock` needs \(CommandArguments.list(known)).")
                }
                return ClockMeasurement(
                    stamp: ClockTime(nanoseconds: stamp), utc: utc, bound: Nanoseconds(bound))
            },
            idle: { measurement, context in context.controller.apply(measurement) },
            perform: { measurement, _, context in context.controller.apply(measurement) }),
    ]

    /// The time at which the recording ends, relative to T0 and in the past. If `at` is `nil`, the recording
    /// ends at the current time.
    struct StopTime: Sendable, Equatable {
        var at: MediaTime?
    }

    /// Returns the time in an argument `at=NS`. Returns `nil` for any other argument.
    private static func timeOfMarker(_ word: String?) throws(ControlError) -> MediaTime? {
        guard let word, word.hasPrefix("at=") else { return nil }
        guard let nanoseconds = Int64(word.dropFirst("at=".count)), nanoseconds >= 0 else {
            throw .usage(
                "`\(word.printable(limit: 60))`: expected nanoseconds since the start of the recording, as in `time_ns` of `status`."
            )
        }
        return MediaTime(nanoseconds: nanoseconds)
    }
}
