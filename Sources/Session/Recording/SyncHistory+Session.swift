internal import Inputs
internal import Media
internal import SessionFolder
internal import Timing

extension SyncHistory {
    /// Records the state of all clocks and tracks; does nothing when the last record is less than a second old.
    ///
    /// - Parameters:
    ///   - inputs: The devices.
    ///   - outputs: The recording's tracks.
    ///   - time: The time since T0.
    mutating func note(_ inputs: SessionInputs, _ outputs: SessionOutputs, at time: MediaTime) {
        guard isDue(at: time) else { return }
        for camera in inputs.cameras { note(camera.clockModel, of: camera.role, at: time) }
        for microphone in inputs.microphones { note(microphone.clockModel, of: microphone.role, at: time) }
        for track in outputs.cameraTracks {
            let counts = track.counts
            note(
                repeated: Int64(counts.repeated), missing: Int64(counts.slate + counts.lostInAll),
                of: track.name, at: time)
        }
        for track in outputs.microphoneTracks where !track.hasEnded {
            note(repeated: 0, missing: track.filled, of: track.name, at: time)
        }
        if let program = outputs.program {
            note(
                repeated: Int64(program.counts.repeated), missing: Int64(program.counts.lostInAll),
                of: Self.program, at: time)
        }
    }

    /// Records, at the end, the jitter of each device's time stamps.
    ///
    /// - Parameter inputs: The devices.
    mutating func noteJitter(_ inputs: SessionInputs) {
        for camera in inputs.cameras { jitters[camera.role] = camera.jitter }
        for microphone in inputs.microphones { jitters[microphone.role] = microphone.jitter }
    }
}
