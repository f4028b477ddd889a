internal import Encoders
internal import Inputs
internal import Media
internal import Plan
internal import Timing

/// The track of the program: at each tick it composes and encodes the frames of all cameras that are shown. Timeline's thread
/// only.
///
/// It follows every camera that has pixels, shown or not, so that another camera can be shown from one tick to the next.
final class ProgramTrack {
    /// A camera that the program follows.
    private struct Feed {
        var follower: GridFollower
        var caption: SlateCaption
        /// Number of exchanges of the camera's source that the caption knows of.
        var exchanges: Int
        /// The camera's last frame, or `nil` while a slate is shown.
        var frame: CapturedFrame?
        var onAir = OnAir()

        func layer(_ place: PlannedLayer, isCoarse: Bool) -> FrameLayer {
            FrameLayer(
                frame: frame, place, plannedSize: follower.input.firstSource.format.size, caption: caption,
                isCoarse: isCoarse)
        }
    }

    /// Rate of the program's grid.
    let rate: FrameRate
    /// Composes and encodes the program's frames.
    let encoder: VideoEncoderWorker
    private var feeds: [Feed]
    /// The layers that are shown, backmost first, each with the index of its camera in `feeds`.
    private var places: [(layer: PlannedLayer, feed: Int)] = []
    /// Pending changes of the layers, sorted by the time since T0 from which they are shown.
    private var arrangements: [(layers: [PlannedLayer], from: MediaTime)] = []
    private var hasFrame = false
    /// Whether the encoder has not got the last change of the frame yet, and gets it with the next new frame that it takes.
    private var isOwed = false
    private var decided = FrameCounts()
    /// Counts of the program's frames so far. Losses include the frames that its cameras lost while they were shown, since a
    /// camera without a track of its own counts them nowhere else.
    var counts: FrameCounts {
        var counts = encoder.corrected(decided)
        for feed in feeds {
            counts.lost.merge(feed.onAir.lost(feed.follower.aligner.counts.lost), uniquingKeysWith: +)
        }
        return counts
    }
    /// Index of the tick whose frame must be a key frame, or `nil` for none.
    private var keyTick: Int64?
    /// Decides which frames the encoder gets; `nil` when no governor runs.
    var intake: EncoderIntake?
    /// Whether JPEGs may be decoded at half the size at which they are shown.
    var isCoarse = false

    /// Creates the program's track.
    ///
    /// - Parameters:
    ///   - rate: Rate of the program's grid.
    ///   - followers: The followers of all cameras that the program may show.
    ///   - layers: The layers that the program shows from T0 on.
    ///   - encoder: Composes and encodes the frames.
    init(rate: FrameRate, followers: [GridFollower], layers: [PlannedLayer], encoder: VideoEncoderWorker) {
        self.rate = rate
        self.encoder = encoder
        feeds = followers.map { Self.feed($0) }
        show(layers, from: .zero)
        isOwed = false
    }

    private static func feed(_ follower: GridFollower) -> Feed {
        // Frames are turned and mirrored as they are composed into the program; its slates are drawn upright.
        let device = follower.input.source.device.name
        return Feed(
            follower: follower, caption: SlateCaption(role: follower.input.role, device: device),
            exchanges: follower.input.exchangeCount)
    }

    /// Adds a camera, which may be shown from now on.
    func add(_ follower: GridFollower) { feeds.append(Self.feed(follower)) }

    /// Changes the layers that are shown, from a time on.
    ///
    /// - Parameters:
    ///   - layers: The layers, of cameras that the program follows.
    ///   - time: A time since T0, not before that of the last call; the first tick at or after it has the new layers.
    func arrange(_ layers: [PlannedLayer], from time: MediaTime) { arrangements.append((layers, time)) }

    /// Roles of the cameras that are shown, backmost first.
    var shown: [String] { places.map(\.layer.role) }

    private func show(_ layers: [PlannedLayer], from time: MediaTime) {
        places = layers.compactMap { layer in
            feeds.firstIndex { $0.follower.input.role == layer.role }.map { (layer, $0) }
        }
        let shown = Set(places.map(\.feed))
        for index in feeds.indices {
            feeds[index].onAir.set(
                shown.contains(index), at: time, lost: feeds[index].follower.aligner.counts.lost)
        }
        isOwed = true
    }

    /// Makes the frame of the tick with this index a key frame, with which a new file can begin.
    func beginPart(at tick: Int64) { keyTick = tick }

    /// Whether the track has ended, so that no tick is decided any more.
    private var hasEnded = false

    /// Stops deciding ticks, when the encoder has failed or the recording ends.
    ///
    /// - Parameter end: End since T0 of the frames in the file.
    func end(at end: MediaTime) {
        guard !hasEnded else { return }
        hasEnded = true
        for index in feeds.indices {
            feeds[index].frame = nil
            feeds[index].follower.finish(at: end)
        }
    }

    /// Takes what the camera of a role delivered since the last call for that role.
    func take(_ deliveries: [CameraInput.Delivery], from role: String) {
        guard !hasEnded else { return }
        for index in feeds.indices where feeds[index].follower.input.role == role {
            feeds[index].follower.take(deliveries)
            let input = feeds[index].follower.input
            guard input.exchangeCount != feeds[index].exchanges else { continue }
            feeds[index].exchanges = input.exchangeCount
            feeds[index].caption = feeds[index].caption.naming(input.source.device.name)
        }
    }

    /// Decides whether a tick shows a new frame or the last one again. Ticks come in order, each once.
    ///
    /// - Parameter tick: Index of the tick on the program's grid; 0 is T0.
    func step(tick: Int64) {
        guard !hasEnded else { return }
        let time = rate.time(ofTick: tick)
        while let next = arrangements.first, next.from <= time {
            arrangements.removeFirst()
            show(next.layers, from: time)
        }
        let asKey = keyTick == tick
        var isNew = isOwed
        for index in feeds.indices where choose(index, tick: tick) { isNew = true }
        guard isNew else {
            decided.repeated += 1
            encoder.repeatLast(tick: tick, asKey: asKey)
            return
        }
        guard takesNew(tick) else {
            isOwed = true
            decided.repeated += 1
            decided.lost[.governor, default: 0] += 1
            encoder.repeatLast(tick: tick, asKey: asKey)
            return
        }
        let layers = places.map { feeds[$0.feed].layer($0.layer, isCoarse: isCoarse) }
        encoder.encode(layers, tick: tick, asKey: asKey)
        hasFrame = true
        isOwed = false
        decided.captured += 1
    }

    /// Lets one camera decide a tick.
    ///
    /// - Returns: Whether the program's frame changes.
    private func choose(_ index: Int, tick: Int64) -> Bool {
        let isOnAir = feeds[index].onAir.isOn
        switch feeds[index].follower.choose(tick: tick) {
        case .show(let dated):
            guard !dated.isUndecodable else {
                feeds[index].follower.withdrawChoice(cause: .corrupt)
                return false
            }
            feeds[index].frame = dated.shown ?? feeds[index].frame
            return isOnAir
        case .repeatLast:
            // A frame that is shown again must not keep the driver's memory.
            feeds[index].frame = feeds[index].frame?.ownedCopy()
            return false
        case .slate:
            defer { feeds[index].frame = nil }
            return isOnAir && (feeds[index].frame != nil || !hasFrame)
        }
    }

    /// Ends the track and its encoder: no tick follows.
    ///
    /// - Parameter end: End of the recording since T0.
    func finish(at end: MediaTime) {
        self.end(at: end)
        encoder.finish()
    }

    /// Returns the counts of one camera's frames on the program's grid, shown or not; losses only while the program showed it.
    func counts(of role: String) -> FrameCounts? {
        feeds.first { $0.follower.input.role == role }.map { feed in
            var counts = feed.follower.aligner.counts
            counts.lost = feed.onAir.lost(counts.lost)
            return counts
        }
    }

    /// The gaps of all cameras, as far as they were shown in them.
    var gaps: [Gap] { feeds.flatMap { $0.onAir.gaps($0.follower.gaps) } }
}
