internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming
internal import MulticamWriters

/// The program's track. At each tick, the track composes and encodes the frames of all visible cameras. Use
/// this type only on the timeline's thread.
///
/// The program tracks every camera that is decoded, visible or not, so that the program can switch to another
/// camera at any tick.
final class ProgramTrack {
    /// A camera that the program tracks.
    private struct Feed {
        var aligner: GridAligner
        var caption: SlateCaption
        /// Number of camera replacements that are taken into account in the caption.
        var replacements: Int
        /// The camera's last frame, or `nil` while a slate is shown.
        var frame: CapturedFrame?
        var onAir = OnAirLog()
        /// Number of ticks at which the camera was shown but its expected frame was missing, by cause.
        var missing: [LossCause: Int] = [:]

        func layer(_ place: PlannedLayer, isCoarse: Bool) -> FrameLayer {
            FrameLayer(
                frame: frame, place, plannedSize: aligner.input.firstSource.format.size, caption: caption,
                isCoarse: isCoarse)
        }
    }

    /// Rate of the program's grid.
    let rate: FrameRate
    /// Composes and encodes the program's frames.
    let encoder: VideoEncoderWorker
    private var feeds: [Feed]
    /// The visible layers, from back to front, each with the index of its camera in `feeds`.
    private var places: [(layer: PlannedLayer, feed: Int)] = []
    /// The visible parts of the cameras that are framed automatically, at the last tick.
    private var framedParts: [PixelRectangle?] = []
    /// Pending changes of the layers, sorted by the time, relative to T0, when they become visible.
    private var arrangements: [(layers: [PlannedLayer], from: MediaTime)] = []
    /// Whether the encoder has received a frame.
    private(set) var hasFrame = false
    /// Whether the encoder has not yet received the latest change of the program's frame. The change becomes
    /// part of the next new frame that the encoder accepts.
    private var hasPendingChange = false
    /// Current counts of the program's ticks in its file. Missing camera frames are counted in `missing`.
    var counts: FrameCounts { encoder.counts(DeliveryCounts()) }

    /// Returns the counts of the program's ticks in a closed file.
    ///
    /// - Parameter ledger: The ledger of the program's frames in the file.
    /// - Returns: The counts of the program's ticks in the file.
    func counts(in ledger: StreamLedger) -> FrameCounts { encoder.counts(DeliveryCounts(), in: ledger) }

    /// Number of ticks at which a camera was shown but its expected frame was missing, by role and cause.
    /// Cameras without missing frames are omitted.
    var missing: [String: [LossCause: Int]] {
        feeds.reduce(into: [:]) { missing, feed in
            guard !feed.missing.isEmpty else { return }
            missing[feed.aligner.input.role, default: [:]].merge(feed.missing, uniquingKeysWith: +)
        }
    }

    /// Index of the tick whose frame must be a key frame, or `nil` if no key frame is required.
    private var keyTick: Int64?
    /// Selects the frames that the encoder receives; `nil` when no governor runs.
    var intake: EncoderIntake?
    /// Whether JPEG frames may be decoded at half the displayed size.
    var isCoarse = false
    /// Whether the next ticks are so late that their frames can't be encoded.
    var isOverdue = false

    /// Creates the program's track.
    ///
    /// - Parameters:
    ///   - rate: Rate of the program's grid.
    ///   - aligners: Aligners of all cameras that the program may show.
    ///   - layers: The layers that the program shows starting at T0. The times of motions are relative to T0.
    ///   - encoder: Composes and encodes the frames.
    init(rate: FrameRate, aligners: [GridAligner], layers: [PlannedLayer], encoder: VideoEncoderWorker) {
        self.rate = rate
        self.encoder = encoder
        feeds = aligners.map { Self.makeFeed($0) }
        show(layers, from: .zero)
        hasPendingChange = false
    }

    private static func makeFeed(_ aligner: GridAligner) -> Feed {
        // Frames are rotated and mirrored when they are composed into the program. Slates in the program are drawn
        // upright.
        let device = aligner.input.source.device.name
        return Feed(
            aligner: aligner, caption: SlateCaption(role: aligner.input.role, device: device),
            replacements: aligner.input.replacementCount)
    }

    /// Adds a camera that the program may show from now on.
    func add(_ aligner: GridAligner) { feeds.append(Self.makeFeed(aligner)) }

    /// Changes the visible layers, starting at the given time.
    ///
    /// - Parameters:
    ///   - layers: The layers, whose cameras must be tracked by the program.
    ///   - time: A time since T0, not before the time of the last call. The first tick at or after this time
    ///     shows the new layers.
    func arrange(_ layers: [PlannedLayer], from time: MediaTime) { arrangements.append((layers, time)) }

    /// Roles of the visible cameras, from back to front.
    var shown: [String] { places.map(\.layer.role) }

    private func show(_ layers: [PlannedLayer], from time: MediaTime) {
        places = layers.compactMap { layer in
            feeds.firstIndex { $0.aligner.input.role == layer.role }.map { (layer, $0) }
        }
        let shown = Set(places.map(\.feed))
        for index in feeds.indices {
            feeds[index].onAir.set(shown.contains(index), at: time)
        }
        framedParts = places.map { framedLayer($0, at: time).crop }
        hasPendingChange = true
    }

    /// Makes the frame of the tick with this index a key frame, so that a new file can begin with this frame.
    func beginPart(at tick: Int64) { keyTick = tick }

    /// Whether the track has ended. An ended track doesn't process any more ticks.
    private var hasEnded = false

    /// Stops processing ticks when the encoder has failed or the recording ends.
    ///
    /// - Parameter end: End of the frames in the file, relative to T0.
    func end(at end: MediaTime) {
        guard !hasEnded else { return }
        hasEnded = true
        for index in feeds.indices {
            feeds[index].frame = nil
            feeds[index].aligner.finish(at: end)
        }
    }

    /// Processes the deliveries of a role's camera since the last call for that role.
    func receive(_ deliveries: [CameraInput.Delivery], from role: String) {
        guard !hasEnded else { return }
        for index in feeds.indices where feeds[index].aligner.input.role == role {
            feeds[index].aligner.handle(deliveries)
            let input = feeds[index].aligner.input
            guard input.replacementCount != feeds[index].replacements else { continue }
            feeds[index].replacements = input.replacementCount
            feeds[index].caption = feeds[index].caption.withDevice(input.source.device.name)
        }
    }

    /// Processes the next tick, at which the program shows a new frame or duplicates the last frame. Call
    /// this method once for each tick, in order.
    ///
    /// - Parameter tick: Index of the tick on the program's grid, counted from T0.
    func step(tick: Int64) {
        guard !hasEnded else { return }
        let time = rate.time(ofTick: tick)
        while let next = arrangements.first, next.from <= time {
            arrangements.removeFirst()
            show(next.layers, from: time)
        }
        let asKey = keyTick == tick
        let framed = places.map { framedLayer($0, at: time) }
        let parts = framed.map(\.crop)
        var isNew = hasPendingChange || parts != framedParts
        framedParts = parts
        for index in feeds.indices where choose(index, tick: tick) { isNew = true }
        guard isNew else {
            encoder.repeatLast(tick: tick, asKey: asKey)
            return
        }
        if let cause = dropCause(ofTick: tick) {
            hasPendingChange = true
            encoder.repeatLast(tick: tick, asKey: asKey, fate: .replaced(cause))
            return
        }
        let layers = zip(places, framed).map { feeds[$0.feed].layer($1, isCoarse: isCoarse) }
        encoder.encode(layers, tick: tick, asKey: asKey)
        hasFrame = true
        hasPendingChange = false
    }

    /// Returns a layer with the part of its camera that is visible at a time.
    private func framedLayer(_ place: (layer: PlannedLayer, feed: Int), at time: MediaTime) -> PlannedLayer {
        place.layer.framed(
            at: time.nanoseconds, of: feeds[place.feed].aligner.input.firstSource.format.size)
    }

    /// Selects the frame of one camera for a tick.
    ///
    /// - Returns: Whether the program's frame changes.
    private func choose(_ index: Int, tick: Int64) -> Bool {
        let isOnAir = feeds[index].onAir.isOn
        let choice = feeds[index].aligner.choose(tick: tick)
        var fate = feeds[index].aligner.fate
        if case .show(let dated) = choice, dated.isUndecodable { fate = fate.superseded(by: .corrupt) }
        if isOnAir, let cause = fate.cause { feeds[index].missing[cause, default: 0] += 1 }
        switch choice {
        case .show(let dated):
            guard !dated.isUndecodable else { return false }
            feeds[index].frame = dated.shown ?? feeds[index].frame
            return isOnAir
        case .repeatLast:
            // A frame kept for duplication must not occupy the driver's memory.
            feeds[index].frame = feeds[index].frame?.ownedCopy()
            return false
        case .slate:
            defer { feeds[index].frame = nil }
            return isOnAir && (feeds[index].frame != nil || !hasFrame)
        }
    }

    /// Ends the track and its encoder. Don't call `step` after this call.
    ///
    /// - Parameter end: End of the recording relative to T0.
    func finish(at end: MediaTime) {
        self.end(at: end)
        encoder.finish()
    }

    /// Returns the counts of one camera's frames on the program's grid, whether or not the camera is visible.
    func counts(of role: String) -> FrameCounts? {
        feeds.first { $0.aligner.input.role == role }?.aligner.counts
    }

    /// The gaps of all cameras, limited to the times when they were visible.
    var gaps: [Gap] { feeds.flatMap { $0.onAir.gapsOnAir(in: $0.aligner.gaps) } }
}
