public import Media
internal import Timing

/// The processor work that a plan causes, in pieces per second: the base of its cost. A pure function of the plan.
public struct PlannedWork: Sendable, Equatable {
    /// One kind of work that repeats at a constant rate.
    public struct Item: Sendable, Equatable {
        /// The kind of work.
        public let kind: WorkKind
        /// Pieces per second.
        public let rate: Double
        /// Pixels, samples or bytes in a piece; see `WorkKind`.
        public let units: Double
        /// How hard the content is to code: `photographic` for real devices, `plain` for synthetic ones.
        public let detail: CostTable.Detail
        /// The owner of the work: `program`, `session` or a role.
        public let owner: String
    }

    /// The pieces of work that the plan causes.
    public private(set) var items: [Item] = []
    /// Cameras whose JPEGs one output decodes for all.
    private var decodedForAll: Set<String> = []

    /// Lists the work that a plan causes.
    ///
    /// - Parameter plan: The plan as it would run.
    public init(_ plan: SessionPlan) {
        add(.deliver, rate: Self.timelineRate(plan) + Self.watchRate, units: 0, of: Self.sessionOwner)
        for camera in plan.cameras { add(camera, plan) }
        if let program = plan.program { add(program, plan) }
        for track in plan.cameraTracks { add(track, plan) }
        for microphone in plan.microphones { add(microphone, plan) }
        for publication in plan.publications { add(publication, plan) }
    }

    /// Processor seconds that a second of recording takes, by owner; `nil` where the table lacks one of the kinds of work.
    public func processorTime(by table: CostTable) -> [String: Double]? {
        var sums: [String: Double] = [:]
        for item in items {
            guard let entry = table.entry(item.kind, item.detail) else { return nil }
            sums[item.owner, default: 0] += item.rate * entry.nanoseconds(units: item.units) / 1e9
        }
        return sums
    }

    /// The owner of work that belongs to no device and no output.
    static let sessionOwner = "session"
    /// Blocks per second in which audio is processed.
    private static let slices = 50.0
    /// How often per second a file's thread is woken to write (`WriteQueue`).
    private static let gatherings = 2.0
    /// The cost of the status, the clocks' history and the watch over the machine, ten times a second each, in wakings per
    /// second. Measured: the rest of a recording of one camera.
    private static let watchRate = 100.0

    /// How often per second ticks are decided that nobody waits for.
    private static let rows = 10.0

    /// The timeline wakes for each tick of the leading grid; without one, or with a slow one, for each slice of audio too. For copied tracks
    /// alone it wakes for rows of ticks.
    private static func timelineRate(_ plan: SessionPlan) -> Double {
        let isWaitedFor =
            plan.program != nil || !plan.publications.isEmpty
            || plan.cameraTracks.contains { $0.mode == .encode }
        guard isWaitedFor else { return rows }
        let ticks = (plan.program?.settings.rate ?? plan.cameraTracks.first?.rate)?.perSecond ?? 0
        return ticks < SessionPlan.wakingRate ? slices + ticks : ticks
    }

    private mutating func add(
        _ kind: WorkKind, rate: Double, units: Double, _ detail: CostTable.Detail = .plain, of owner: String
    ) {
        items.append(Item(kind: kind, rate: rate, units: units, detail: detail, owner: owner))
    }

    // MARK: Inputs

    /// A stream whose frames depend on each other is decoded once, whoever shows it.
    private mutating func add(_ camera: PlannedCamera, _ plan: SessionPlan) {
        // A synthetic camera's own thread stands in for hardware.
        let threads = (camera.detail == .photographic ? 1.0 : 0) + plan.consumers(of: camera.role)
        add(.deliver, rate: camera.format.rate.perSecond * threads, units: 0, of: camera.role)
        guard camera.format.pixel == .h264, plan.decodes(camera.role) else { return }
        add(
            .decodeH264, rate: camera.format.rate.perSecond, units: Double(camera.format.size.pixelCount),
            camera.detail, of: camera.role)
    }

    private mutating func add(_ microphone: PlannedMicrophone, _ plan: SessionPlan) {
        let channels = microphone.pick.isEmpty ? microphone.format.channels : microphone.pick.count
        let slices = Self.slices
        add(
            .deliver, rate: slices * (microphone.detail == .photographic ? 2 : 1), units: 0,
            of: microphone.role)
        add(
            .resample, rate: slices, units: Double(microphone.format.rate * channels) / slices,
            of: microphone.role)
        guard let track = plan.microphoneTracks.first(where: { $0.role == microphone.role }) else { return }
        let samples = Double(AudioFormat.sessionRate * channels)
        if track.file.hasSuffix(".wav") {
            add(.deliver, rate: Self.gatherings, units: 0, of: microphone.role)
            add(.store, rate: slices, units: samples * 3 / slices, of: microphone.role)
        } else {
            add(.encodeAudio, rate: samples / 1024, units: 1024, microphone.detail, of: microphone.role)
        }
    }

    // MARK: Outputs

    private mutating func add(_ program: PlannedProgram, _ plan: SessionPlan) {
        let settings = program.settings
        var covered: [PixelRectangle] = []
        var detail = CostTable.Detail.plain
        for layer in program.layers {
            guard let camera = plan.cameras.first(where: { $0.role == layer.role }) else { continue }
            if camera.detail == .photographic { detail = .photographic }
            // A layer that lies over a moving one is painted anew with each of that one's frames.
            let isOver = covered.contains { $0.overlaps(layer.rectangle) }
            let rate = min(settings.rate.perSecond, camera.format.rate.perSecond)
            paint(
                layer, of: camera, settings, rate: isOver ? settings.rate.perSecond : rate,
                isShared: plan.sharesDecoding(layer.role), owner: SessionPlan.programOwner)
            covered.append(layer.rectangle)
        }
        encode(settings, detail, owner: SessionPlan.programOwner)
        guard !program.mix.isEmpty else { return }
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
            // A camera that is off leaves a slate, which is encoded.
            if track.mode == .encode { encode(track.settings, .plain, owner: track.role) }
            return
        }
        guard track.mode == .encode else {
            add(.deliver, rate: Self.gatherings, units: 0, of: track.role)
            add(.store, rate: track.rate.perSecond, units: camera.expectedBytes, of: track.role)
            return
        }
        var settings = track.settings
        settings.color = nil
        let rate = min(track.rate.perSecond, camera.format.rate.perSecond)
        paint(
            track.layer, of: camera, settings, rate: rate,
            isShared: plan.sharesDecoding(track.role),
            owner: track.role)
        encode(settings, camera.detail, owner: track.role)
    }

    /// What a live output takes, in the process that sends and in this one. One that only a command begins counts too, so that it
    /// can begin at any moment.
    private mutating func add(_ publication: PlannedPublication, _ plan: SessionPlan) {
        let owner = publication.name
        guard let frames = publication.frames else {
            let packets = publication.kind == .pulse ? 0 : plan.program?.settings.rate.perSecond ?? 0
            return add(.deliver, rate: packets + Self.slices, units: 0, of: owner)
        }
        // This process hands each frame over, and the other one takes it.
        add(.deliver, rate: 2 * frames.rate.perSecond, units: 0, of: owner)
        let settings = VideoEncodingSettings(size: frames.size, rate: frames.rate)
        var detail = CostTable.Detail.plain
        if let camera = plan.camera(publication.source) {
            detail = camera.detail
            let whole = PixelRectangle(x: 0, y: 0, width: frames.size.width, height: frames.size.height)
            paint(
                PlannedLayer(
                    role: camera.role, rectangle: whole, filling: .fit, rotation: camera.rotation,
                    crop: camera.crop),
                of: camera, settings, rate: min(frames.rate.perSecond, camera.format.rate.perSecond),
                isShared: false, owner: owner)
        } else if let program = plan.program {
            if plan.cameras.contains(where: { $0.detail == .photographic }) { detail = .photographic }
            add(
                .scale, rate: min(frames.rate.perSecond, program.settings.rate.perSecond),
                units: Double(program.settings.size.pixelCount + frames.size.pixelCount), of: owner)
        }
        if let encoder = publication.encoder { encode(encoder, detail, owner: owner) }
    }

    private mutating func encode(
        _ settings: VideoEncodingSettings, _ detail: CostTable.Detail, owner: String
    ) {
        // The processor time that a hardware encoder takes comes from its trial.
        guard settings.hardware == nil else { return }
        add(
            WorkKind(settings.preset), rate: settings.rate.perSecond, units: Double(settings.size.pixelCount),
            detail,
            of: owner)
    }

    /// Paints one camera's frame into its place, by the same steps as `FramePainter`.
    private mutating func paint(
        _ layer: PlannedLayer, of camera: PlannedCamera, _ settings: VideoEncodingSettings, rate: Double,
        isShared: Bool, owner: String
    ) {
        let size = camera.format.size
        guard
            let place = Placement(
                of: size, crop: layer.crop, rotation: layer.rotation, filling: layer.filling,
                into: layer.rectangle)
        else { return }
        let turned = layer.rotation.swapsSides ? place.target.size.turned : place.target.size
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
            if !isForAll || decodedForAll.insert(camera.role).inserted {
                add(WorkKind(scale), rate: rate, units: Double(size.pixelCount), camera.detail, of: owner)
            }
        case .yuyv, .uyvy, .nv12, .bgra:
            add(.unpack, rate: rate, units: Double(place.source.size.pixelCount), of: owner)
        case .h264, .i420, .i422, .converted, .grey: break
        }
        // A frame that is decoded for all outputs is copied out of their shared memory.
        if scaled != turned || !isWhole || isForAll {
            add(.scale, rate: rate, units: Double(scaled.pixelCount) + target, of: owner)
        }
        if layer.rotation != .none || layer.isMirrored { add(.turn, rate: rate, units: target, of: owner) }
        // Cameras' JPEGs are of full range; raw frames mostly of BT.601: only a track of the camera's own keeps that.
        if settings.color != nil { add(.recolor, rate: rate, units: target, of: owner) }
    }
}
