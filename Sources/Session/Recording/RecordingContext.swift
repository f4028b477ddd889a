internal import Inputs
internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Timing
internal import Writers

/// Everything that a recording works with: plan, options, devices, disks, and the receivers of events and status.
struct RecordingContext {
    /// The plan as the recording begins.
    let plan: SessionPlan
    /// The options of the recording, such as its duration.
    let options: RecordingOptions
    /// The session's clock: CLOCK_MONOTONIC, or a simulated one.
    let clock: any SessionClock
    /// Makes encoders, decoders, resamplers and slates.
    let codecs: any CodecFactory
    /// Holds the requests of callers, such as marks, splits and stops, until the next tick.
    let controls: SessionControls
    /// What is known of live outputs.
    let publications: PublicationBoard
    /// The devices.
    let inputs: SessionInputs
    /// The disks; the recording's own is the first, the safety copy's the second. Empty for a session that runs without files.
    let disks: [RecordingDisk]
    /// The sinks of the calling program, which receive frames, audio, metadata and synchronized frames.
    let sinks: SessionSinks
    /// Reads the computer's state for system pressure, or `nil` when pressure is not watched.
    let host: (any HostReading)?
    /// Whether devices and sinks run before the recording and go on after it, as on standby.
    let isLentDevices: Bool
    /// Receives each event of the recording, in order.
    let publish: (SessionEvent) -> Void
    /// Told the name of each stream for which x264 has taken over from a hardware encoder.
    let onFallback: (String) -> Void
    /// Receives the status of the recording, ten times a second.
    let report: (SessionStatus) -> Void

    /// Path of the recording's own session folder; `nil` when the session runs without files.
    var folder: String? { disks.first?.folder.path }

    /// Rate of the grid that the timeline follows: the program's, or that of the first camera track when there is no program;
    /// `nil` for audio alone.
    var leadingRate: FrameRate? { plan.program?.settings.rate ?? plan.cameraTracks.first?.rate }

    /// Whether the governor runs: the budget asks for it, and time is real or `host` reports a pressure.
    var isGoverned: Bool { plan.budget.governs && (clock.isRealTime || host != nil) }

    /// Sends an event to the receiver of events, and to the event file of each session folder.
    func note(_ event: SessionEvent) {
        publish(event)
        for disk in disks { disk.folderWriter.append(event) }
    }
}
