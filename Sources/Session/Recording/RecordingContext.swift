internal import Foundation
internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Timing
internal import Writers

/// What a recording is made of, from before its first instant to behind its last: what is wanted, what it works with, and who is
/// told of it.
struct RecordingContext {
    let plan: SessionPlan
    let options: RecordingOptions
    let clock: any SessionClock
    let codecs: any CodecFactory
    let controls: SessionControls
    let inputs: SessionInputs
    /// The recording's own first.
    let disks: [RecordingDisk]
    let sinks: SessionSinks
    /// Whom to ask for system pressure; `nil` for nobody.
    let host: (any HostReading)?
    /// Whether devices and sinks run before the recording and go on after it.
    let isLentDevices: Bool
    /// Told each event, in order.
    let publish: (SessionEvent) -> Void
    /// Told the state, ten times a second.
    let report: (SessionStatus) -> Void

    /// The folder of the recording's own.
    var folder: String { disks[0].folder.path }

    /// The grid that the timeline follows: the program's, or that of the first camera's track; `nil` for audio alone.
    var leadingRate: FrameRate? { plan.program?.settings.rate ?? plan.cameraTracks.first?.rate }

    /// Whether cost is governed. In simulated time nothing is slow, unless somebody says so.
    var isGoverned: Bool { plan.budget.governs && (clock.isRealTime || host != nil) }

    /// Tells an event to whoever follows the recording, and to each folder.
    func note(_ event: SessionEvent) {
        publish(event)
        for disk in disks { disk.folderWriter.append(event) }
    }
}
