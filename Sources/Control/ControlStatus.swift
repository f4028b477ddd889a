package import MulticamInputs
package import MulticamMedia
package import MulticamMonitoring
package import MulticamPlan
package import MulticamProfiles
internal import MulticamSessionFolder
internal import MulticamTiming

/// The state of a running session, for other programs. Times are in nanoseconds and relative to T0. Audio
/// levels are linear, with 1 as full scale.
package struct ControlStatus: Sendable, Equatable, Codable {
    /// A kind of picture that the governor can pause.
    package enum PausedPicture: String, Sendable, Codable {
        /// Frames for display only. The recording isn't affected.
        case previews
        /// The program, which repeats its last frame.
        case program
    }

    /// The phase of the session.
    package enum State: String, Sendable, Codable {
        case starting
        /// The devices are running, but no recording is in progress.
        case standby
        case recording
        case finishing
        /// The session is waiting between two recordings until the system has recovered from pressure.
        case paused
    }

    /// The loudness values of `MulticamMedia.Loudness`, rounded to 0.01. A loudness value is `nil` until it has been
    /// measured.
    package struct Loudness: Sendable, Equatable, Codable {
        /// Loudness of the last 400 ms in LUFS (ITU-R BS.1770-4).
        package var momentary_lufs: Double?
        /// Loudness of the last 3 s in LUFS.
        package var short_term_lufs: Double?
        /// Gated loudness in LUFS since the measurement started.
        package var integrated_lufs: Double?
        /// Loudness range in LU since the measurement started (EBU Tech 3342).
        package var range_lu: Double?
        /// Maximum true peak in dBTP since the measurement started, determined with 4× oversampling.
        package var true_peak_dbtp: Double?

        init(_ loudness: MulticamMedia.Loudness) {
            func rounded(_ value: Double?) -> Double? { value.map { ($0 * 100).rounded() / 100 } }
            momentary_lufs = rounded(loudness.momentary)
            short_term_lufs = rounded(loudness.shortTerm)
            integrated_lufs = rounded(loudness.integrated)
            range_lu = rounded(loudness.range)
            true_peak_dbtp = rounded(loudness.truePeak)
        }
    }

    /// The phase of the session.
    package var state: State
    /// The profile's name.
    package var profile: String
    /// Path of the session folder; `nil` while no recording is in progress.
    package var folder: String?
    /// Progress of closing the files after a recording has ended; `nil` at all other times.
    package var finishing: Finishing?
    /// Recorded time in nanoseconds since T0. On standby, the time since standby began.
    package var time_ns: Int64
    /// T0 on this machine's `CLOCK_MONOTONIC`, in nanoseconds; `nil` while no recording is in progress.
    package var t0_monotonic_ns: Int64?
    /// T0 in the group's time, in nanoseconds since 1970; `nil` if the session doesn't follow a group.
    package var t0_utc_ns: Int64?
    /// The mechanism that gave the capture and decision threads elevated priority: `nice-limit`,
    /// `realtimekit`, or `not-granted`; `nil` until the mechanism is known.
    package var priority: String?
    /// The reason why the priority wasn't granted; `nil` if the priority was granted.
    package var priority_reason: String?
    /// The cameras of the session.
    package var cameras: [Camera]
    /// The microphones of the session.
    package var microphones: [Microphone]
    /// The program; `nil` if the plan doesn't include one.
    package var program: Program?
    /// The content and layout of the program; `nil` if the plan doesn't include a program.
    package var arrangement: Arrangement?
    /// Names of the program's scenes.
    package var scenes: [String]
    /// Name of the current scene; `nil` if the program doesn't show a scene.
    package var scene: String?
    /// Alignment delay in nanoseconds: the time from a tick's instant until the tick's frames are chosen. The
    /// delay equals the latency of the program; `nil` while no recording is in progress.
    package var delay_ns: Int64?
    /// Delay of the recorded files behind real time, in nanoseconds. A crash would lose the data recorded
    /// during this time. The value is `nil` while no files are being written.
    package var behind_ns: Int64?
    /// The most recent markers of the recording, at most 100, in order of creation.
    package var markers: [Marker]
    /// Number of markers in the recording.
    package var marker_count: Int
    /// The free space of the recording disk; `nil` while the free space is unknown.
    package var disk: Disk?
    /// The loss limits of the recording.
    package var limits: Limits
    /// The action that is taken if the plan exceeds its budget: `adapt` or `refuse`.
    package var policy: String
    /// The hardware cost of the plan; `nil` if the session wasn't planned for a machine.
    package var cost: Cost?
    /// The level of system pressure; `nil` if the pressure isn't measured.
    package var pressure: String?
    /// The causes of system pressure, worded as the end of a sentence; `nil` if there is no pressure.
    package var pressure_reason: String?
    /// Advice on relieving the most serious cause of system pressure, worded as the end of a sentence; `nil`
    /// if there is no pressure.
    package var pressure_advice: String?
    /// Descriptions of the quality reductions that the governor has made.
    package var given_up: [String]
    /// The pictures that the governor has paused. Their last frames aren't current.
    package var paused: [PausedPicture]
    /// The live outputs: first those in the profile, then those started by commands.
    package var live_outputs: [LiveOutput]
    /// The governor's latest steps with their reasons, oldest first.
    package var governor: [GovernorStep]
    /// The verdict on the last completed recording; `nil` during a recording, and before the first recording.
    package var verdict: String?
    /// Names of the commands that the session accepts, as listed by `multicam ctl --help`; `nil` if the
    /// commands are unknown.
    package var commands: [String]?

    private static let mostMarkers = 100

    /// Creates the status report for other programs.
    ///
    /// - Parameters:
    ///   - status: The state of the session.
    ///   - plan: The current plan of the session.
    ///   - folder: Path of the session folder; `nil` while no recording is in progress.
    ///   - cost: Hardware cost of the current plan.
    ///   - state: Phase of the session, which overrides the phase in `status` if the caller has more
    ///     information.
    package init(
        _ status: SessionStatus, plan: SessionPlan, folder: String?, cost: HardwareCost? = nil,
        state: State? = nil
    ) {
        switch status.phase {
        case .starting: self.state = .starting
        case .standby: self.state = .standby
        case .recording: self.state = .recording
        case .finishing: self.state = .finishing
        }
        if let state { self.state = state }
        profile = plan.profile
        self.folder = folder
        finishing = status.finishing.map { Finishing($0) }
        time_ns = status.time.nanoseconds
        t0_monotonic_ns = status.start?.nanoseconds
        cameras = status.cameras.map { Camera($0, in: plan, at: status.takenAt) }
        microphones = status.microphones.map { Microphone($0, in: plan, at: status.takenAt) }
        program = plan.program.map { Program($0, status) }
        arrangement = plan.program.map { Arrangement($0, of: plan.cameras) }
        scenes = plan.program?.scenes.map(\.name) ?? []
        scene = plan.scene
        delay_ns = status.alignmentDelay?.count
        behind_ns = status.fileLag?.count
        priority = status.priority?.identifier
        if case .notGranted(let reason) = status.priority { priority_reason = reason }
        markers = status.markers.suffix(Self.mostMarkers).map { Marker(at_ns: $0.at_ns, text: $0.text) }
        marker_count = status.markers.count
        disk = status.freeBytes.map { Disk($0, status, plan) }
        limits = Limits(plan.limits)
        policy = plan.budget.policy.rawValue
        self.cost = cost.map { Cost($0, budget: plan.budget.hardwareCost) }
        pressure = status.pressure?.level.rawValue
        let factors = status.pressure?.factors ?? []
        pressure_reason = factors.isEmpty ? nil : factors.map(\.text).joined(separator: "; ")
        pressure_advice = factors.first?.advice
        given_up = status.reductions
        let actions = status.measures.map(\.action)
        paused =
            (actions.contains(.previews) ? [.previews] : [])
            + (actions.contains(.programPause) ? [.program] : [])
        live_outputs = LiveOutput.all(status, plan)
        governor = status.governorSteps.map {
            GovernorStep(at_ns: $0.at_ns, step: $0.step, reason: $0.reason)
        }
    }
}

extension ControlStatus {
    /// The state of one camera. Frame counts refer to the camera's own tracks. If the camera isn't recorded,
    /// the counts refer to the frames that were available to the program, and to the frames lost while the
    /// program showed the camera.
    package struct Camera: Sendable, Equatable, Codable {
        /// The camera's role.
        package var role: String
        /// Name of the device currently assigned to the role.
        package var name: String
        /// Pixel format of the current or last delivered frames: `mjpeg`, `yuyv`, `nv12`, or `h264`.
        package var pixel: String
        /// Width of the delivered frames in pixels.
        package var width: Int
        /// Height of the delivered frames in pixels.
        package var height: Int
        /// Configured frame rate in frames per second.
        package var nominal_rate: Double
        /// Frame rate in frames per second, as measured. On standby, the value is 0 while the camera is
        /// disconnected.
        package var rate: Double
        /// Clockwise rotation in degrees that a preview applies to make the delivered frames upright.
        package var rotation: Int
        /// Whether a preview flips the frames horizontally, after rotation.
        package var mirrored: Bool
        /// Whether the camera isn't delivering frames.
        package var away: Bool
        /// The reason why the camera isn't delivering frames, in words; `nil` while the camera is delivering
        /// frames.
        package var reason: String?
        /// The loss cause of the frames missing during the outage: `disconnected`, `reconfigured` (by a
        /// user), or `governor`; `nil` while the camera is delivering frames.
        package var away_cause: String?
        /// Duration of the outage in nanoseconds; `nil` while the camera is delivering frames.
        package var away_ns: Int64?
        /// Number of undamaged frames captured since T0.
        package var captured: Int
        /// Number of surplus frames dropped because the camera is faster than its track.
        package var decimated: Int
        /// Number of duplicates of the previous frame that replace missing frames.
        package var duplicated: Int
        /// Number of slates that replace missing frames.
        package var slate: Int
        /// Number of frames lost since T0.
        package var lost: Int
        /// Number of lost frames by cause, such as `bus`. Zero entries are omitted.
        package var losses: [String: Int]
        /// Deviation of the camera's clock from its nominal rate in parts per million. The value is positive if the
        /// clock runs fast.
        package var ppm: Double
        /// Whether the camera's clock model is reliable.
        package var locked: Bool
        /// Standard error of the frame times in microseconds, according to the clock model.
        package var residual_us: Double
        /// Detection types of the camera's frames: `faces`, `codes`; `nil` if the frames aren't searched.
        package var detect: [DetectionKind]?
        /// Faces in the last analyzed frame. Their bounds are fractions of the upright frame's size; `nil` if no frame was
        /// analyzed in the last seconds.
        package var faces: [DetectedFace]?
        /// Codes in the last analyzed frame; `nil` if no frame was analyzed in the last seconds.
        package var codes: [DetectedCode]?
        /// Automatic framing of the camera in the program: `off`, `people`, or `speaker`; `nil` without a program.
        package var framing: FramingMode?

        init(_ camera: SessionStatus.Camera, in plan: SessionPlan, at now: ClockTime) {
            let preview = plan.cameras.first { $0.role == camera.role }?.preview
            role = camera.role
            name = camera.name.printable()
            pixel = camera.format.pixel.rawValue
            width = camera.format.size.width
            height = camera.format.size.height
            nominal_rate = camera.format.rate.perSecond
            rate = camera.rate
            rotation = preview?.rotation.degrees ?? 0
            mirrored = preview?.isMirrored ?? false
            away = camera.outage != nil
            reason = camera.outage?.reason
            away_cause = camera.outage?.cause.rawValue
            away_ns = camera.outage.map { max((now - $0.since).count, 0) }
            captured = camera.counts.captured
            decimated = camera.counts.decimated
            duplicated = camera.counts.duplicated
            slate = camera.counts.slate
            lost = camera.lost
            losses = ControlStatus.byCause(camera.counts.lost)
            ppm = camera.clock.partsPerMillion
            locked = camera.clock.isLocked
            residual_us = ControlStatus.microseconds(camera.clock.residual)
            let planned = plan.cameras.first { $0.role == camera.role }
            detect = planned.map(plan.detection).flatMap { $0.isEmpty ? nil : $0 }
            faces = camera.analysis?.faces
            codes = camera.analysis?.codes
            framing = planned.flatMap { plan.program?.arrangement.framingMode(of: $0) }
        }
    }

    static func byCause(_ losses: [LossCause: Int]) -> [String: Int] {
        Dictionary(losses.map { ($0.key.rawValue, $0.value) }) { $1 }
    }

    /// Converts a time to microseconds, rounded to 0.1.
    static func microseconds(_ time: Nanoseconds) -> Double { (Double(time.count) / 100).rounded() / 10 }
}

extension ControlStatus {
    /// The state of one microphone.
    package struct Microphone: Sendable, Equatable, Codable {
        /// The microphone's role.
        package var role: String
        /// Name of the device assigned to the role.
        package var name: String
        /// Number of channels in the microphone's track.
        package var channels: Int
        /// Linear peak level, 0…1, with the decay of a program meter (`AudioLevel.peak`).
        package var peak: Double
        /// Linear root mean square level, 0…1, averaged over 300 ms (`AudioLevel.rootMeanSquare`).
        package var level: Double
        /// Loudness of the microphone's track since T0; `nil` while no recording is in progress.
        package var loudness: Loudness?
        /// Gain in the program mix in decibels. The gain doesn't affect the level, the loudness, or the
        /// microphone's track.
        package var gain: Double
        /// Whether the microphone is muted in the program mix.
        package var muted: Bool
        /// Filters of the microphone in the program, in the words of the command `processing`: a preset, or `off` and all
        /// settings.
        package var processing: String
        /// The microphone's active alarms.
        package var alarms: [AudioAlarm.Kind]
        /// Duration of the current silence or missing signal in nanoseconds; `nil` while neither alarm is
        /// active.
        package var silent_ns: Int64?
        /// Number of clipping events since T0; on standby, since the last recording's T0. Overloads within
        /// one second count as one event.
        package var clipped: Int
        /// Number of clipping events in the last 60 s.
        package var clipped_last_minute: Int
        /// Duration of missing audio in nanoseconds.
        package var missing_ns: Int64
        /// Deviation of the microphone's clock from its nominal rate in parts per million. The value is positive if the
        /// clock runs fast.
        package var ppm: Double
        /// Whether the microphone's clock model is reliable.
        package var locked: Bool
        /// Standard error of the audio times in microseconds, according to the clock model.
        package var residual_us: Double

        init(_ microphone: SessionStatus.Microphone, in plan: SessionPlan, at now: ClockTime) {
            role = microphone.role
            name = microphone.name.printable()
            channels = microphone.channels
            peak = Double(microphone.level.peak)
            level = Double(microphone.level.rootMeanSquare)
            loudness = microphone.loudness.map { Loudness($0) }
            let planned = plan.microphones.first { $0.role == microphone.role }
            gain = planned?.gain ?? 0
            muted = plan.program.map { !$0.mix.contains(microphone.role) } ?? false
            processing = (planned?.processing ?? .off).words.joined(separator: " ")
            alarms = microphone.alarms
            silent_ns = microphone.silentSince.map { max((now - $0).count, 0) }
            clipped = microphone.clips.total
            clipped_last_minute = microphone.clips.inLastMinute(at: now)
            missing_ns = microphone.missing.count
            ppm = microphone.clock.partsPerMillion
            locked = microphone.clock.isLocked
            residual_us = ControlStatus.microseconds(microphone.clock.residual)
        }
    }
}

extension ControlStatus {
    /// The state of the program.
    package struct Program: Sendable, Equatable, Codable {
        /// The layout of the cameras.
        package var layout: ProgramLayout
        /// Roles of the visible cameras, starting with the main camera.
        package var shown: [String]
        /// Roles of the cameras in the last composed frame, starting with the main camera. A change of
        /// cameras appears here after a frame with the new cameras has been composed.
        package var on_air: [String]
        /// Roles of the microphones that are audible in the program.
        package var mix: [String]
        /// Filters of the mix, in the words of the command `processing`.
        package var processing: String
        /// How shots are selected, as in profiles: `manual` or `voice`; `nil` if the session can't switch by voice.
        package var switching: String?
        /// Time in nanoseconds until switching by voice resumes after a manual change; `nil` while it isn't paused.
        package var switching_resumes_ns: Int64?
        /// Number of new program frames composed since T0.
        package var captured: Int
        /// Number of program frames that repeat the previous frame.
        package var duplicated: Int
        /// Number of program frames lost since T0 because the computer or the disk was too slow.
        package var lost: Int
        /// Number of lost program frames by cause, including frames that a camera lost while it was visible.
        /// Zero entries are omitted.
        package var losses: [String: Int]
        /// Loudness of the program's audio since T0; `nil` while no recording is in progress or if the
        /// program has no audio.
        package var loudness: Loudness?

        init(_ program: PlannedProgram, _ status: SessionStatus) {
            layout = program.arrangement.layout
            shown = program.arrangement.shown
            on_air = status.shown.isEmpty ? program.layers.map(\.role) : status.shown
            mix = program.mix
            processing = program.mixProcessing.words.joined(separator: " ")
            captured = status.program.captured
            duplicated = status.program.duplicated
            lost = status.programLost
            losses = ControlStatus.byCause(status.program.lost)
            loudness = status.mix.map { Loudness($0) }
        }
    }

    /// The content of the program, in the form used in profiles, and the resulting positions of the cameras.
    package struct Arrangement: Sendable, Equatable, Codable {
        /// The position of a camera in the program.
        package struct Layer: Sendable, Equatable, Codable {
            /// The camera's role.
            package var role: String
            /// Distance from the program's left edge in pixels.
            package var x: Int
            /// Distance from the program's top edge in pixels.
            package var y: Int
            /// Width of the layer in program pixels.
            package var width: Int
            /// Height of the layer in program pixels.
            package var height: Int
            /// Clockwise rotation of the camera's delivered frames in degrees.
            package var rotation: Int
            /// Whether the frames are flipped horizontally.
            package var mirrored: Bool
            /// How the frames are fitted into the position: shown completely with bars, or cropped.
            package var fit: FrameFit
        }

        /// Size of a camera's frames as the program uses them: cropped, upright, and with square pixels.
        package struct Frame: Sendable, Equatable, Codable {
            /// Width of the frames in pixels.
            package var width: Int
            /// Height of the frames in pixels.
            package var height: Int
        }

        /// The layout of the cameras.
        package var layout: ProgramLayout
        /// The role of the main camera.
        package var main: String
        /// Roles of the other cameras, in their order after the main camera or from the corner.
        package var inset: [String]
        /// Roles of the cameras that aren't shown but keep their position in the order.
        package var hidden: [String]
        /// The first corner of the stack of insets.
        package var corner: InsetStyle.Corner
        /// Width of an inset as a fraction of the program's width.
        package var scale: Double
        /// Distance of the insets from the program's edges, as a fraction of the program's width.
        package var margin: Double
        /// Width of the white border inside each inset, in pixels.
        package var border: Int
        /// How frames with a different aspect ratio are fitted: `contain` or `cover`.
        package var fit: FrameFit
        /// Zoom factors of the cameras by role.
        package var zoom: [String: Double]
        /// Width and height of the program in pixels.
        package var size: [Int]
        /// Frame rate of the program in frames per second.
        package var rate: Double
        /// Positions of the visible cameras, from back to front.
        package var layers: [Layer]
        /// Frame sizes of all cameras by role. Layouts depend on the aspect ratios of these frames.
        package var frames: [String: Frame]

        init(_ program: PlannedProgram, of cameras: [PlannedCamera]) {
            let arrangement = program.arrangement
            layout = arrangement.layout
            main = arrangement.main
            inset = arrangement.insets
            hidden = arrangement.hidden.sorted()
            corner = arrangement.style.corner
            scale = arrangement.style.scale
            margin = arrangement.style.margin
            border = arrangement.style.border
            fit = arrangement.style.fit
            zoom = arrangement.zooms.mapValues(\.factor)
            size = [program.settings.size.width, program.settings.size.height]
            rate = program.settings.rate.perSecond
            layers = program.layers.map {
                Layer(
                    role: $0.role, x: $0.rectangle.x, y: $0.rectangle.y, width: $0.rectangle.width,
                    height: $0.rectangle.height, rotation: $0.rotation.degrees, mirrored: $0.isMirrored,
                    fit: $0.fit)
            }
            let sizes = cameras.map { ($0.role, arrangement.uprightSize(of: $0)) }
            frames = Dictionary(sizes.map { ($0, Frame(width: $1.width, height: $1.height)) }) { $1 }
        }
    }
}

extension ControlStatus {
    /// Free space on the disk of the current or next recording.
    package struct Disk: Sendable, Equatable, Codable {
        /// Number of free bytes.
        package var free_bytes: Int64
        /// Time in seconds until the disk is full, based on the growth rate of the files. Until this rate is
        /// known, the estimate uses the plan's expected rate. The estimate is `nil` while no files are being
        /// written.
        package var seconds_left: Double?

        init(_ freeBytes: Int64, _ status: SessionStatus, _ plan: SessionPlan) {
            free_bytes = freeBytes
            let left = status.pressure?.diskTime ?? plan.timeToFill(freeBytes)
            seconds_left = left.map { $0.inSeconds.rounded() }
        }
    }

    /// Progress of closing the files of a recording that has ended.
    package struct Finishing: Sendable, Equatable, Codable {
        /// Number of closed files.
        package var done: Int
        /// Total number of files to close.
        package var total: Int

        init(_ finishing: SessionStatus.Finishing) { (done, total) = (finishing.done, finishing.total) }
    }

    /// A named point in time in the recording.
    package struct Marker: Sendable, Equatable, Codable {
        /// Time in nanoseconds since T0.
        package var at_ns: Int64
        /// Name of the marker.
        package var text: String
    }

    /// A step of the governor, in the same form as in the manifest.
    package struct GovernorStep: Sendable, Equatable, Codable {
        /// Time in nanoseconds since T0.
        package var at_ns: Int64
        /// The reduction or restoration of quality, such as `desk rate 30 → 20`.
        package var step: String
        /// The reason for the governor's step.
        package var reason: String
    }

    /// Loss limits of the recording. A field is `nil` if no limit applies.
    package struct Limits: Sendable, Equatable, Codable {
        /// Maximum fraction of a track's frames that may be lost.
        package var lost_frames: Double?
        /// Maximum fraction of a microphone's samples that may be lost.
        package var lost_samples: Double?
        /// Maximum duration of a microphone's silence in nanoseconds.
        package var silence_ns: Int64?

        init(_ limits: RecordingLimits) {
            lost_frames = limits.lostFrames
            lost_samples = limits.lostSamples
            silence_ns = limits.silence?.count
        }
    }
}

extension ControlStatus {
    /// The state of a live output.
    package struct LiveOutput: Sendable, Equatable, Codable {
        /// Name of the live output.
        package var name: String
        /// Kind of live output: `srt`, `rtmp`, `whip`, `v4l2`, or `pulse`.
        package var kind: String
        /// Current state: `off`, `connecting`, `connected`, `waiting`, `refused`, or `ended`.
        package var state: String
        /// The reason for the live output's state, as a sentence; `nil` if there is nothing to report.
        package var text: String?
        /// Start of the current state in nanoseconds, measured like `time_ns`; `nil` if the live output was
        /// never started.
        package var since_ns: Int64?
        /// Number of frames that were sent. For a virtual microphone, this is the number of 20 ms audio
        /// blocks.
        package var sent_frames: Int64
        /// Number of frames dropped so far because the server was too slow or unreachable.
        package var dropped_frames: Int64
        /// Current bit rate in bits per second; `nil` while the bit rate is unknown.
        package var bitrate: Int64?

        static func all(_ status: SessionStatus, _ plan: SessionPlan) -> [LiveOutput] {
            let planned = plan.liveOutputs.map { liveOutput in
                status.liveOutputs.first { $0.name == liveOutput.name }.map { LiveOutput($0, status) }
                    ?? LiveOutput(liveOutput)
            }
            let names = plan.liveOutputs.map(\.name)
            return planned
                + status.liveOutputs.filter { !names.contains($0.name) }.map { LiveOutput($0, status) }
        }

        private init(_ planned: PlannedLiveOutput) {
            (name, kind) = (planned.name, planned.kind.rawValue)
            (state, text, since_ns) = (LiveOutputStatus.State.off.rawValue, nil, nil)
            (sent_frames, dropped_frames, bitrate) = (0, 0, nil)
        }

        private init(_ liveOutput: LiveOutputStatus, _ status: SessionStatus) {
            (name, kind) = (liveOutput.name, liveOutput.kind.rawValue)
            (state, text) = (liveOutput.state.rawValue, liveOutput.text)
            let age = status.takenAt - liveOutput.since
            since_ns = status.phase == .starting ? nil : (Nanoseconds(status.time.nanoseconds) - age).count
            (sent_frames, dropped_frames) = (liveOutput.sentFrames, liveOutput.droppedFrames)
            bitrate = liveOutput.bitrate
        }
    }
}

extension ControlStatus {
    /// Hardware cost of the current plan. A value of 1 is the full capacity of a resource.
    package struct Cost: Sendable, Equatable, Codable {
        /// Utilization of one resource.
        package struct Term: Sendable, Equatable, Codable {
            /// Name of the resource, such as `cpu` or `usb:1`.
            package var resource: String
            /// Fraction of the resource that the plan uses.
            package var used: Double
            /// The parts of the plan that use the resource, largest first.
            package var owners: [Owner]
            /// A sentence that states the utilization in absolute units.
            package var text: String
        }

        /// One owner's share of a resource's utilization.
        package struct Owner: Sendable, Equatable, Codable {
            /// Name of the owner: `program`, `session`, a role, or a device that another process uses.
            package var name: String
            /// Fraction of the resource that the owner uses.
            package var used: Double
        }

        /// Utilization of the most constrained resource.
        package var hardware: Double
        /// Maximum utilization of any resource that the profile permits.
        package var budget: Double
        /// Utilization of each resource, most constrained first.
        package var terms: [Term]
        /// A sentence for each resource with unknown utilization.
        package var unknown: [String]

        init(_ cost: HardwareCost, budget: Double) {
            // JSON can't represent infinity, and the cost of a missing resource is infinite.
            func rounded(_ value: Double) -> Double { (min(value, 1e9) * 10_000).rounded() / 10_000 }
            hardware = rounded(cost.total)
            self.budget = budget
            terms = cost.terms.map { term in
                Term(
                    resource: term.resource, used: rounded(term.used),
                    owners: term.parts.map { Owner(name: $0.owner, used: rounded($0.used)) },
                    text: term.explanation)
            }
            unknown = cost.unknown
        }
    }
}
