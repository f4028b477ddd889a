package import MulticamMedia
internal import MulticamTiming

/// The processor work that a plan requires, in operations per second. The plan's cost is computed from this
/// work, which is a pure function of the plan.
package struct PlannedWork: Sendable, Equatable {
    /// One kind of work that repeats at a constant rate.
    package struct Item: Sendable, Equatable {
        /// The kind of work.
        package let kind: WorkKind
        /// Number of operations per second.
        package fileprivate(set) var rate: Double
        /// Pixels, samples, or bytes per operation; see `WorkKind`.
        package let units: Double
        /// Complexity of the content for encoders and decoders: `photographic` for physical devices, `plain`
        /// for synthetic devices.
        package let detail: CostTable.Detail
        /// Owner of the work: `program`, `session`, or a role.
        package let owner: String
    }

    /// The work items that the plan requires.
    package private(set) var items: [Item] = []
    /// Index in `items` of the work item that decodes a camera's JPEGs for all outputs, by role.
    private var decodedForAll: [String: Int] = [:]

    /// Lists the work that a plan requires.
    ///
    /// - Parameter plan: The plan as it would run.
    package init(_ plan: SessionPlan) {
        add(.deliver, rate: Self.timelineRate(plan) + Self.monitoringRate, units: 0, of: Self.sessionOwner)
        for camera in plan.cameras { add(camera, plan) }
        if let program = plan.program { add(program, plan) }
        for track in plan.cameraTracks { add(track, plan) }
        for microphone in plan.microphones { add(microphone, plan) }
        for liveOutput in plan.liveOutputs { add(liveOutput, plan) }
        for camera in plan.cameras where !plan.detection(of: camera).isEmpty {
            addAnalysis(of: camera, plan)
        }
    }

    /// Returns the processor seconds per second of recording, by owner; `nil` if the cost table doesn't
    /// contain a required kind of work.
    package func processorTime(by table: CostTable) -> [String: Double]? {
        var sums: [String: Double] = [:]
        for item in items {
            guard let entry = table.entry(item.kind, item.detail) else { return nil }
            sums[item.owner, default: 0] += item.rate * entry.nanoseconds(units: item.units) / 1e9
        }
        return sums
    }

    /// Name of the owner of work that doesn't belong to a device or an output.
    static let sessionOwner = "session"
    /// Name of the owner of the work that searches frames for faces and codes.
    static let analysisOwner = "vision"
    /// Number of audio blocks processed per second.
    private static let slices = 50.0
    /// Number of times per second that a file's thread is woken to write (`WriteQueue`).
    private static let writeRate = 2.0
    /// Cost of updating the status, the clock history, and the machine monitor ten times per second each,
    /// expressed in wakeups per second. This value is the part of a single-camera recording's measured cost
    /// that no other work item explains.
    private static let monitoringRate = 100.0

    /// Number of times per second that ticks are decided if no consumer waits for individual ticks.
    private static let batchRate = 10.0

    /// Returns the timeline's wakeups per second. The timeline wakes for each tick of the leading grid. Without a grid
    /// or with a slow grid, the timeline also wakes for each audio block. If all tracks are copied, the timeline wakes
    /// once per batch of ticks.
    private static func timelineRate(_ plan: SessionPlan) -> Double {
        let isWaitedFor =
            plan.program != nil || !plan.liveOutputs.isEmpty
            || plan.cameraTracks.contains { $0.mode == .encode }
        guard isWaitedFor else { return batchRate }
        let ticks = (plan.program?.settings.rate ?? plan.cameraTracks.first?.rate)?.perSecond ?? 0
        return ticks < SessionPlan.minWakeupRate ? slices + ticks : ticks
    }

    private mutating func add(
        _ kind: WorkKind, rate: Double, units: Double, _ detail: CostTable.Detail = .plain, of owner: String
    ) {
        items.append(Item(kind: kind, rate: rate, units: units, detail: detail, owner: owner))
    }

    // MARK: Inputs

    /// Adds the work that a camera requires. A stream with dependent frames, such as H.264, is decoded once,
    /// regardless of the number of outputs that show it.
    private mutating func add(_ camera: PlannedCamera, _ plan: SessionPlan) {
        // The thread of a synthetic camera isn't counted, because it does work that the hardware does in a
        // physical camera.
        let threads = (camera.detail == .photographic ? 1.0 : 0) + plan.consumers(of: camera.role)
        add(.deliver, rate: camera.format.rate.perSecond * threads, units: 0, of: camera.role)
        guard camera.format.pixel == .h264, plan.decodes(camera.role) else { return }
        add(
            .decodeH264, rate: camera.format.rate.perSecond, units: Double(camera.format.size.pixelCount),
            camera.detail, of: camera.role)
    }

    private mutating func add(_ microphone: PlannedMicrophone, _ plan: SessionPlan) {
        let channels =
            microphone.sourceChannels.isEmpty ? microphone.format.channels : microphone.sourceChannels.count
        let slices = Self.slices
        add(
            .deliver, rate: slices * (microphone.detail == .photographic ? 2 : 1), units: 0,
            of: microphone.role)
        add(
            .resample, rate: slices, units: Double(microphone.format.rate * channels) / slices,
            of: microphone.role)
        // Muted microphones are filtered, too, so that they can be heard at once.
        if let program = plan.program, !program.mix.isEmpty {
            filter(microphone.processing, channels: channels > 2 ? 1 : channels, owner: microphone.role)
        }
        guard let track = plan.microphoneTracks.first(where: { $0.role == microphone.role }) else { return }
        let samples = Double(AudioFormat.sessionRate * channels)
        if track.file.hasSuffix(".wav") {
            add(.deliver, rate: Self.writeRate, units: 0, of: microphone.role)
            add(.store, rate: slices, units: samples * 3 / slices, of: microphone.role)
        } else {
            add(.encodeAudio, rate: samples / 1024, units: 1024, microphone.detail, of: microphone.role)
        }
    }

    private mutating func filter(_ processing: SoundProcessing, channels: Int, owner: String) {
        guard !processing.isOff else { return }
        let samples = Double(AudioFormat.sessionRate * channels)
        add(.resample, rate: Self.slices, units: samples * processing.relativeWork / Self.slices, of: owner)
    }

    // MARK: Outputs

    private mutating func add(_ program: PlannedProgram, _ plan: SessionPlan) {
        let settings = program.settings
        var covered: [PixelRectangle] = []
        var detail = CostTable.Detail.plain
        for layer in program.layers {
            guard let camera = plan.cameras.first(where: { $0.role == layer.role }) else { continue }
            if camera.detail == .photographic { detail = .photographic }
            // A layer that covers another layer is redrawn for each frame of the covered layer.
            let isOver = covered.contains { $0.overlaps(layer.rectangle) }
            let rate = min(settings.rate.perSecond, camera.format.rate.perSecond)
            paint(
                layer.shape, of: camera, settings, rate: isOver ? settings.rate.perSecond : rate,
                isShared: plan.sharesDecoding(layer.role), owner: SessionPlan.programOwner)
            covered.append(layer.rectangle)
        }
        encode(settings, detail, owner: SessionPlan.programOwner)
        guard !program.mix.isEmpty else { return }
        filter(program.mixProcessing, channels: AudioGrid.mixChannels, owner: SessionPlan.programOwner)
        let samples = Double(AudioFormat.sessionRate * AudioGrid.mixChannels)
        let isReal = plan.microphones.contains {
            program.mix.contains($0.role) && $0.detail == .photographic
        }
        add(
            .encodeAudio, rate: samples / 1024, units: 1024, isReal ? .photographic : .plain,
            of: SessionPlan.programOwner)
    }

    private mutating func add(_ track: PlannedCameraTrack, _ plan: SessionPlan) {
        guard let camera = plan.cameras.first(where: { $0.role == track.role }) else {
            // If the camera is off, the track contains a slate, which must be encoded.
            if track.mode == .encode { encode(track.settings, .plain, owner: track.role) }
            return
        }
        guard track.mode == .encode else {
            add(.deliver, rate: Self.writeRate, units: 0, of: track.role)
            add(.store, rate: track.rate.perSecond, units: camera.expectedBytes, of: track.role)
            return
        }
        var settings = track.settings
        settings.color = nil
        let rate = min(track.rate.perSecond, camera.format.rate.perSecond)
        paint(
            track.layer.shape, of: camera, settings, rate: rate,
            isShared: plan.sharesDecoding(track.role),
            owner: track.role)
        encode(settings, camera.detail, owner: track.role)
    }

    /// Adds the work that a live output requires in this process and in the sending process. Live outputs
    /// that start only on command are included, so that starting one never exceeds the budget.
    private mutating func add(_ liveOutput: PlannedLiveOutput, _ plan: SessionPlan) {
        let owner = liveOutput.name
        guard let frames = liveOutput.frames else {
            let packets = liveOutput.kind == .pulse ? 0 : plan.program?.settings.rate.perSecond ?? 0
            return add(.deliver, rate: packets + Self.slices, units: 0, of: owner)
        }
        // Each frame causes two deliveries: this process sends it, and the process of the live output
        // receives it.
        add(.deliver, rate: 2 * frames.rate.perSecond, units: 0, of: owner)
        let settings = VideoEncodingSettings(size: frames.size, rate: frames.rate)
        var detail = CostTable.Detail.plain
        if let camera = plan.camera(liveOutput.source) {
            detail = camera.detail
            let whole = PixelRectangle(x: 0, y: 0, width: frames.size.width, height: frames.size.height)
            paint(
                LayerShape(
                    whole, rotation: camera.rotation, pixelAspect: camera.pixelAspect, crop: camera.crop),
                of: camera, settings, rate: min(frames.rate.perSecond, camera.format.rate.perSecond),
                isShared: false, owner: owner)
        } else if let program = plan.program {
            if plan.cameras.contains(where: { $0.detail == .photographic }) { detail = .photographic }
            add(
                .scale, rate: min(frames.rate.perSecond, program.settings.rate.perSecond),
                units: Double(program.settings.size.pixelCount + frames.size.pixelCount), of: owner)
        }
        if let encoder = liveOutput.encoder { encode(encoder, detail, owner: owner) }
    }

    /// Adds the work of searching a camera's frames for faces and codes, which another process does.
    private mutating func addAnalysis(of camera: PlannedCamera, _ plan: SessionPlan) {
        let rate = min(SessionPlan.analysisRates.usual.perSecond, camera.format.rate.perSecond)
        let size = SessionPlan.analysisSize(of: camera.format.size)
        add(.deliver, rate: 2 * rate, units: 0, of: Self.analysisOwner)
        paint(
            LayerShape(
                PixelRectangle(x: 0, y: 0, width: size.width, height: size.height), fit: .cover),
            of: camera, VideoEncodingSettings(size: size, rate: SessionPlan.analysisRates.usual), rate: rate,
            isShared: false, owner: Self.analysisOwner)
        let pixels = Double(size.pixelCount)
        // Between two detections, faces are tracked, which costs about as much as reading codes.
        let detection = plan.detection(of: camera)
        let shares = (detection.contains(.faces) ? 0.6 : 0) + (detection.contains(.codes) ? 0.4 : 0)
        add(.analyze, rate: rate * shares, units: pixels, of: Self.analysisOwner)
    }

    private mutating func encode(
        _ settings: VideoEncodingSettings, _ detail: CostTable.Detail, owner: String
    ) {
        // The processor time of a hardware encoder isn't added here, because it was measured when the encoder
        // was tested.
        guard settings.hardware == nil else { return }
        add(
            WorkKind(settings.preset), rate: settings.rate.perSecond, units: Double(settings.size.pixelCount),
            detail,
            of: owner)
    }

    /// Adds the work of drawing one camera's frame into its rectangle, with the same steps as `FramePainter`.
    private mutating func paint(
        _ layer: LayerShape, of camera: PlannedCamera, _ settings: VideoEncodingSettings, rate: Double,
        isShared: Bool, owner: String
    ) {
        let size = camera.format.size
        guard
            let place = Placement(
                of: size, pixel: layer.pixelAspect, crop: layer.crop, rotation: layer.rotation,
                fit: layer.fit,
                into: layer.rectangle)
        else { return }
        let turned = layer.rotation.swapsSides ? place.target.size.transposed : place.target.size
        let target = Double(turned.pixelCount)
        let isWhole = place.source.size == size
        var scaled = place.source.size
        var isForAll = false
        switch camera.format.pixel {
        case .mjpeg:
            let scale = JPEGScale.smallest(
                for: place.source.size, wanted: layer.isCoarse ? turned.halved : turned)
            scaled = scale.scaled(place.source.size)
            isForAll = isShared && scale == .whole
            if isForAll, let index = decodedForAll[camera.role] {
                // The output with the highest frame rate determines how many frames are decoded.
                items[index].rate = max(items[index].rate, rate)
            } else {
                if isForAll { decodedForAll[camera.role] = items.count }
                add(WorkKind(scale), rate: rate, units: Double(size.pixelCount), camera.detail, of: owner)
            }
        case .yuyv, .uyvy, .nv12, .bgra:
            add(.unpack, rate: rate, units: Double(place.source.size.pixelCount), of: owner)
        case .h264, .i420, .i422, .converted, .grey: break
        }
        // A frame that is decoded once for several outputs must be copied from shared memory.
        if scaled != turned || !isWhole || isForAll {
            add(.scale, rate: rate, units: Double(scaled.pixelCount) + target, of: owner)
        }
        if layer.rotation != .none || layer.isMirrored { add(.turn, rate: rate, units: target, of: owner) }
        // Camera JPEGs are full range, and most raw frames use BT.601. Only the camera's own track keeps
        // these color properties, so all other outputs convert the colors.
        if settings.color != nil { add(.recolor, rate: rate, units: target, of: owner) }
    }
}
