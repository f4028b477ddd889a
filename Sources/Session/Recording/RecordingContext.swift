internal import Foundation
internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Timing
internal import Writers

/// What a recording works with: plan, options, devices, disks, and the receivers of events and status.
struct RecordingContext {
    let plan: SessionPlan
    let options: RecordingOptions
    let clock: any SessionClock
    let codecs: any CodecFactory
    let controls: SessionControls
    let inputs: SessionInputs
    /// The disks; the recording's own is the first, the safety copy's the second.
    let disks: [RecordingDisk]
    let sinks: SessionSinks
    /// Reads the computer's state for system pressure, or `nil` for no reading.
    let host: (any HostReading)?
    /// Whether devices and sinks run before the recording and go on after it.
    let isLentDevices: Bool
    /// Receives each event, in order.
    let publish: (SessionEvent) -> Void
    /// Receives the status, ten times a second.
    let report: (SessionStatus) -> Void

    /// Path of the recording's own session folder.
    var folder: String { disks[0].folder.path }

    /// Rate of the grid that the timeline follows: the program's, or that of the first camera's track; `nil` for
    /// audio alone.
    var leadingRate: FrameRate? { plan.program?.settings.rate ?? plan.cameraTracks.first?.rate }

    /// Whether the governor runs. In simulated time nothing is slow, unless `host` says so.
    var isGoverned: Bool { plan.budget.governs && (clock.isRealTime || host != nil) }

    /// Sends an event to the receiver of events, and to each folder.
    func note(_ event: SessionEvent) {
        publish(event)
        for disk in disks { disk.folderWriter.append(event) }
    }
}
