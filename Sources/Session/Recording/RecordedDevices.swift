internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamTiming

/// The devices of a recording, with the current state of their clocks, for the manifest.
struct RecordedDevices {
    /// The plan with all cameras and microphones that have been part of the recording.
    let plan: SessionPlan
    let inputs: SessionInputs
    /// The start time of the recording (T0) on the session's clock.
    let start: ClockTime

    /// The devices as listed in the manifest: the sources of each camera in order, followed by the
    /// microphones.
    var entries: [Manifest.Device] {
        inputs.cameras.flatMap { camera in devices(of: camera) }
            + inputs.microphones.map { microphone in
                let planned = plan.microphones.first { $0.role == microphone.role }
                var device = Manifest.Device(
                    role: microphone.role, kind: "microphone",
                    identity: microphone.source.device.identity.description.printable(),
                    name: microphone.source.device.name.printable(),
                    format: Manifest.Format(
                        channels: microphone.source.format.channels,
                        rate: Double(microphone.source.format.rate)),
                    offset_ns: planned?.offset.count, offset_source: planned?.offsetSource,
                    voiceProcessing: planned?.voiceProcessing, timeError: microphone.source.timeError,
                    clock: Manifest.Clock(
                        microphone.clockModel, dated: microphone.source.timeOrigin,
                        within: microphone.source.timeError))
                device.camera = planned?.camera
                device.type = SourceKind(microphone.source.device).rawValue
                return device
            }
    }

    /// Returns all sources that a camera's role has used, in order.
    private func devices(of camera: CameraInput) -> [Manifest.Device] {
        let planned = plan.cameras.first { $0.role == camera.role }
        let sources = camera.sources
        return sources.enumerated().map { index, had in
            let format = had.source.format
            let from = index == 0 ? nil : sources[index - 1].until
            var device = Manifest.Device(
                role: camera.role, kind: "camera",
                identity: had.source.device.identity.description.printable(),
                name: had.source.device.name.printable(),
                from_ns: from.map { max(0, MediaTime($0, since: start).nanoseconds) },
                format: Manifest.Format(
                    pixel: format.pixel.rawValue, width: format.size.width, height: format.size.height,
                    rate: format.rate.perSecond),
                latency_ns: index == 0 ? planned?.latency.count : had.latency.count,
                latency_source: index == 0 ? planned?.latencySource : nil,
                timeError: had.source.timeError,
                clock: Manifest.Clock(
                    had.clockModel, corrected: had.correctedStamps, dated: had.source.timeOrigin,
                    within: had.source.timeError),
                metadata: planned?.metadataFile, controls: Self.controls(had.controls))
            device.type = SourceKind(had.source.device).rawValue
            return device
        }
    }

    private static func controls(_ outcomes: [ControlOutcome]) -> [Manifest.Control]? {
        guard !outcomes.isEmpty else { return nil }
        return outcomes.map { outcome in
            Manifest.Control(
                name: outcome.request.name.printable(), asked: outcome.request.value, value: outcome.value,
                origin: outcome.request.origin, refused: outcome.fault?.description.printable(limit: 1000))
        }
    }
}
