internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// A recording before T0, the first phase: waits until the devices deliver data, creates the files, and chooses T0. Use this
/// type only on the timeline's thread.
final class RecordingPreparation {
    private let context: RecordingContext
    /// Hardware encoders that were opened for the recording, by stream name.
    private let encoders: [String: Carried<any VideoEncoding>]

    private var plan: SessionPlan { context.plan }
    private var inputs: SessionInputs { context.inputs }
    private var clock: any SessionClock { context.clock }

    /// Creates an object that prepares a recording.
    ///
    /// - Parameters:
    ///   - context: Plan, options, devices and disks of the recording.
    ///   - encoders: Hardware encoders that are already open, by stream name.
    init(_ context: RecordingContext, encoders: [String: Carried<any VideoEncoding>]) {
        self.context = context
        self.encoders = encoders
    }

    /// Waits until all devices deliver data, creates the files, chooses T0, and waits until T0.
    ///
    /// - Returns: The recording, which has begun.
    /// - Throws: `RecordingError` when a device doesn't deliver data, a file or an encoder can't be created,
    ///   or a stop was requested before T0.
    func start() throws(RecordingError) -> RunningRecording {
        let shortcoming = inputs.cameras.isEmpty ? nil : context.codecs.slateTextProblem
        try wait(for: .first)
        let assembly = OutputAssembly(
            plan: plan, inputs: inputs, disks: context.disks, codecs: context.codecs, clock: clock,
            sinks: context.sinks, prepared: encoders)
        // Files and encoders are created while the devices deliver data for their clock models. A slow disk
        // therefore only delays the choice of T0. Data captured before T0 isn't part of the recording.
        let prepared = try assembly.prepare()
        let remarks: [(role: String, text: String)]
        let start: ClockTime
        do throws(RecordingError) {
            try wait(for: .enough)
            remarks = CameraMatching(plan, inputs, clock: clock, controls: context.controls).run()
            inputs.retainLatest()
            start = try chooseStart()
        } catch {
            prepared.abandon()
            throw error
        }
        let outputs = assembly.makeOutputs(prepared, start: start)
        inputs.notifyRecordingStarted(start, stamped: clock.stamp(of: start))
        let recording = RunningRecording(context, start: start, delay: alignmentDelay, outputs: outputs)
        recording.announce(remarks + controlRemarks, shortcoming: shortcoming)
        return recording
    }

    private func wait(for awaited: SessionInputs.Readiness) throws(RecordingError) {
        try inputs.wait(
            for: awaited, on: clock, limit: context.options.startTimeLimit, controls: context.controls)
    }

    /// Waits until shortly before the start time in the options, and chooses T0. T0 is the start time, or the
    /// next tick of the start time's grid if the start time has passed. Without a start time, T0 is the next
    /// time code label.
    private func chooseStart() throws(RecordingError) -> ClockTime {
        let lead = Nanoseconds.milliseconds(60)  // Enough time to create the tracks.
        guard let start = context.options.start else { return alignedToTimecode(clock.now + lead) }
        while clock.now + lead + .milliseconds(80) < start {
            guard context.controls.stopTime == nil else { throw .stopped }
            clock.sleep(until: clock.now + .milliseconds(20), unless: context.controls.cancellation)
            inputs.retainLatest()
        }
        let (rate, late) = (
            context.leadingRate ?? FrameRate(100, per: 1), max(clock.now + lead - start, .zero)
        )
        let tick = rate.ticks(before: MediaTime(nanoseconds: late.count))
        return start + Nanoseconds(rate.time(ofTick: tick).nanoseconds)
    }

    /// Descriptions of controls that cameras couldn't set to the requested value, with the cameras' roles.
    private var controlRemarks: [(role: String, text: String)] {
        inputs.cameras.flatMap { camera in
            camera.controls.compactMap(\.remark).map { (camera.role, "camera \(camera.role): \($0)") }
        }
    }

    /// Returns the first instant, at or after a time, whose time of day is a label of the leading grid's time
    /// code.
    ///
    /// As a result, the times of day in video and audio files agree to the exact sample.
    private func alignedToTimecode(_ time: ClockTime) -> ClockTime {
        guard let leadingRate = context.leadingRate else { return time }
        let wall = LocalTime(clock.date(of: time))
        return time + Timecode.timeUntilNextLabel(after: wall, rate: leadingRate)
    }

    /// The alignment delay, which is the time from an instant until the tick at that instant is processed.
    /// This delay is the longest delivery time of all devices plus two frame intervals, but at least 0.1 s
    /// and at most 2 s.
    ///
    /// The delay allows for cameras at the lowest rate that the governor may choose, which take longer to expose and
    /// deliver frames.
    private var alignmentDelay: Nanoseconds {
        let usual = inputs.slowestDelivery + inputs.longestInterval * 2
        let governed = context.isGoverned ? slowestGovernedDelivery : .zero
        return min(max(usual, governed, .milliseconds(100)), .seconds(2))
    }

    private var slowestGovernedDelivery: Nanoseconds {
        let ladder = Governor.ladder(plan, inputs: inputs, hasPreviews: false)
        let deliveries = inputs.cameras.filter(\.canChangeFormat).map { camera -> Nanoseconds in
            let planned = camera.source.format.rate
            let lowest =
                ladder.indices.compactMap { index in
                    Governor.format(of: camera, reducedBy: ladder[...index])?.rate
                }.min() ?? planned
            guard lowest < planned else { return .zero }
            // Exposure and transport each take longer by the difference between the intervals. In addition,
            // the tick that shows a frame may be up to one frame interval later than the frame.
            return camera.deliveryDelay + (lowest.interval - planned.interval) * 2 + lowest.interval
        }
        return deliveries.max() ?? .zero
    }
}
