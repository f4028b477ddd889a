internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming
internal import MulticamWriters

/// A track of one camera. Selects the frame for each tick, and passes it to the file or the encoder. Use this
/// type only on the timeline's thread.
protocol CameraTrack: AnyObject {
    /// Name of the track.
    var name: String { get }
    /// The camera that supplies the track's frames.
    var input: CameraInput { get }
    /// Rate of the track's grid.
    var rate: FrameRate { get }
    /// Current counts of the frames that the track has passed to its files.
    var counts: FrameCounts { get }
    /// Gaps of the track so far.
    var gaps: [Gap] { get }

    /// Processes the camera's deliveries since the last call.
    func receive(_ deliveries: [CameraInput.Delivery])

    /// Processes the next tick of the track's grid. Call this method once for each tick, in order.
    ///
    /// - Parameter tick: Index of the tick, counted from T0.
    func step(tick: Int64)

    /// Returns the counts of the track's frames in a closed file.
    ///
    /// - Parameter ledger: The ledger of the track's stream in the file.
    /// - Returns: The counts of the track's frames in the file.
    func counts(in ledger: StreamLedger) -> FrameCounts

    /// Ends the track. Don't call `step` after this call.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime)
}

/// A track that copies a camera's JPEG frames byte for byte, one frame per tick. Use this type only on the
/// timeline's thread.
final class CopiedTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate of the track's grid.
    let rate: FrameRate
    private var aligner: GridAligner
    /// The track's stream in its movie.
    let sink: TrackSink
    private let codecs: any CodecFactory
    private var lastBytes: SharedBytes?
    private var slate: SharedBytes?
    private var caption: SlateCaption
    /// A JPEG frame of the camera that serves as the template for slates.
    private var slateTemplate: CapturedFrame?
    /// Size of the frames in the current file, width × height in pixels.
    private var size: FrameSize
    /// Number of the source that provides the frames of the current file.
    private var stream: Int
    /// The first frame of another size or source, which requires a new file; `nil` if none exists.
    private(set) var successor: DatedFrame?
    /// First tick of the new file that `successor` requires, or `nil` if that file hasn't been requested yet.
    private var partTick: Int64?
    /// The last frame of the new size that was selected before the file for that size began.
    private var earlyFrame: DatedFrame?
    /// The packets since the tick of `earlyFrame`. The fate of the first packet depends on whether a tick of the
    /// next file shows the early frame.
    private var undecidedPackets: [EncodedPacket] = []
    /// Index of the next tick to process.
    private var nextTick: Int64 = 0
    /// Capture time of the frame that caused the current file to begin. Frames captured before this time
    /// can't cause another file to begin.
    private var partSince: ClockTime?

    /// Creates a track with a first file for frames of one size. Frames of another size require a new file.
    ///
    /// - Parameters:
    ///   - aligner: Aligns the camera's frames to the track's grid.
    ///   - rate: Rate of the track's grid.
    ///   - size: Size of the frames in the first file, width × height in pixels.
    ///   - caption: The text of the track's slates.
    ///   - sink: The track's stream in its movie.
    ///   - codecs: The codec factory, which creates slates.
    init(
        aligner: GridAligner, rate: FrameRate, size: FrameSize, caption: SlateCaption, sink: TrackSink,
        codecs: any CodecFactory
    ) {
        name = aligner.track
        self.aligner = aligner
        self.rate = rate
        self.caption = caption
        self.sink = sink
        self.codecs = codecs
        self.size = size
        stream = aligner.input.replacementCount
        // With this template frame, a slate can be created even if the camera was disconnected before T0.
        slateTemplate = aligner.input.latestJPEG.flatMap { $0.size == size ? $0 : nil }
    }

    /// The camera that supplies the track's frames.
    var input: CameraInput { aligner.input }
    /// Current counts of the frames that the track has passed to its files.
    var counts: FrameCounts { FrameCounts(aligner.delivery, written: sink.receivedCounts) }
    /// Gaps of the track so far.
    var gaps: [Gap] { aligner.gaps }

    /// Processes the camera's deliveries since the last call, and stores the first frame of another size as
    /// `successor`.
    func receive(_ deliveries: [CameraInput.Delivery]) {
        aligner.handle(deliveries)
        guard partTick == nil else { return }
        for case .frame(let dated) in deliveries
        where !hasSameFormat(dated, as: successor) && belongsToCurrentPart(dated) {
            // If the camera switches back to the current file's size before a new file was requested, no new
            // file is needed.
            successor = hasSameFormat(dated, as: nil) ? nil : dated
            flushUndecidedPackets()
        }
    }

    /// Whether a frame has the size and the source of another frame, or of the current file if `other` is `nil`.
    private func hasSameFormat(_ dated: DatedFrame, as other: DatedFrame?) -> Bool {
        dated.frame.size == other?.frame.size ?? size && dated.stream == other?.stream ?? stream
    }

    /// Returns the reason for omitting a frame that requires a new file, until the new file begins.
    private func cause(of dated: DatedFrame) -> LossCause {
        dated.stream == stream ? .governor : .reconfigured
    }

    private func belongsToCurrentPart(_ dated: DatedFrame) -> Bool {
        partSince.map { dated.time > $0 } ?? true
    }

    /// Returns the counts of the track's frames in a closed file.
    ///
    /// - Parameter ledger: The ledger of the track's stream in the file.
    /// - Returns: The counts of the track's frames in the file.
    func counts(in ledger: StreamLedger) -> FrameCounts {
        FrameCounts(
            aligner.delivery, written: ledger.written.frames, dropped: [.disk: ledger.dropped.frames])
    }

    /// Returns the index of the tick that shows a frame captured at `time` relative to T0, unless another
    /// frame is nearer to that tick.
    func tick(nearestTo time: MediaTime) -> Int64 {
        rate.ticks(before: MediaTime(nanoseconds: time.nanoseconds - rate.interval.count / 2))
    }

    /// Predicts the first tick of the new file that `successor` requires.
    ///
    /// - Parameter captured: Capture time of the successor relative to T0.
    /// - Returns: If the frame comes from another source, the index of the first tick that shows the frame.
    ///   If the frame has another size, the index of the tick nearest to `captured`.
    func tick(ofSuccessorAt captured: MediaTime) -> Int64 {
        let nearest = tick(nearestTo: captured)
        guard let successor, successor.stream != stream, nextTick < nearest + 4 else { return nearest }
        return aligner.tick(of: nextTick..<nearest + 4) { $0.stream == successor.stream } ?? nearest
    }

    /// Whether a new file for `successor` was requested but has not begun yet.
    var isPartPending: Bool { partTick != nil }

    /// Continues in a new file, which contains frames of the new size, at the tick with this index.
    func beginPart(at tick: Int64) { partTick = tick }

    /// Processes the next tick of the track's grid. Call this method once for each tick, in order.
    ///
    /// - Parameter tick: Index of the tick, counted from T0.
    func step(tick: Int64) {
        nextTick = tick + 1
        // If no newer frame is due at the first tick of a file, the tick shows the frame that arrived before the file
        // began.
        var isEarlyDue = false
        if let partTick, let successor, tick >= partTick {
            isEarlyDue = earlyFrame != nil
            change(to: successor)
        }
        let choice = aligner.choose(tick: tick)
        var fate = aligner.fate
        switch choice {
        case .show(let dated) where !hasSameFormat(dated, as: nil):
            // The new file for frames of this size begins shortly.
            if partTick == nil, successor == nil, belongsToCurrentPart(dated) { successor = dated }
            fate = fate.superseded(by: cause(of: dated))
            flushUndecidedPackets()
            if isEarlyDue {
                // One of these two frames is lost. The loss is recorded at the tick of the early frame.
                fate = .captured
            } else if let successor, hasSameFormat(dated, as: successor) {
                earlyFrame = dated
            }
        case .show(let dated):
            flushUndecidedPackets()
            slateTemplate = dated.frame
            lastBytes = dated.frame.memory
        case .repeatLast:
            if isEarlyDue {
                flushUndecidedPackets(isShown: true)
                fate = .captured
            }
        case .slate:
            if isEarlyDue { flushUndecidedPackets() }
            lastBytes = slateBytes() ?? lastBytes
        }
        guard let lastBytes else { return }
        let packet = EncodedPacket(
            bytes: lastBytes, presentation: tick * rate.seconds, decode: tick * rate.seconds,
            duration: rate.seconds, isKey: true, fate: fate)
        if earlyFrame == nil { sink.append(packet) } else { undecidedPackets.append(packet) }
    }

    /// Writes the packets since the tick of the early frame to the file.
    ///
    /// - Parameter isShown: Whether a tick of the next file shows the early frame, so that the frame isn't
    ///   lost.
    private func flushUndecidedPackets(isShown: Bool = false) {
        for (index, packet) in undecidedPackets.enumerated() {
            let isFreed = isShown && index == 0
            sink.append(isFreed ? packet.withFate(.duplicated(packet.fate?.cause)) : packet)
        }
        undecidedPackets = []
        earlyFrame = nil
    }

    private func change(to successor: DatedFrame) {
        let frame = (earlyFrame ?? successor).frame
        size = frame.size
        stream = successor.stream
        slateTemplate = frame
        caption = caption.withDevice(input.source.device.name)
        // The early frame is shown until the next frame of the same size is due.
        lastBytes = frame.memory
        slate = nil
        partSince = successor.time
        self.successor = nil
        partTick = nil
    }

    /// Ends the track. Don't call `step` after this call.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        flushUndecidedPackets()
        aligner.finish(at: end)
        sink.finish()
    }

    private func slateBytes() -> SharedBytes? {
        if slate == nil, let slateTemplate {
            do {
                slate = try codecs.makeSlate(like: slateTemplate, caption: caption)
            } catch {
                // The camera's last frame replaces a slate that can't be drawn.
                slate = slateTemplate.memory
            }
        }
        return slate
    }
}

/// A track that copies a camera's H.264 frames, each of which is shown at its own capture time. Use this type
/// only on the timeline's thread.
///
/// The last frame captured before T0 is shown from T0 until the next frame. Without this frame, the track would begin
/// with a gap, and libavformat would move the whole track so that the first frame after T0 is at T0.
///
/// Times in the track's file are ticks of `StreamParameters.captureTimeScale` since T0.
final class CopiedStreamTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate of the timeline's calls to the track. Frames keep their own capture times.
    let rate: FrameRate
    private var camera: CameraDeliveryHandler
    private var aligner: KeyStreamAligner<CapturedFrame>
    /// The track's stream in its movie.
    let sink: TrackSink
    private let start: ClockTime
    /// The last frame, whose duration isn't known yet, and its capture time in ticks of the file's time scale since T0.
    private var pendingEntry: (frame: CapturedFrame, tick: Int64)?
    /// Time, relative to T0, from which the next key frame begins a new file; `nil` when no split is pending.
    private var partStart: MediaTime?
    /// Number of the source that provides the frames of the current file.
    private var stream: Int
    /// The first frame of another source, which is a key frame and requires a new file. The value is `nil` if no such
    /// frame exists.
    private var successor: DatedFrame?
    /// Capture time of the first frame in the file, relative to T0; negative if that frame was captured
    /// before T0.
    private(set) var firstTime: MediaTime?

    /// Creates a track that begins in the file of its sink.
    ///
    /// - Parameters:
    ///   - input: The camera, which delivers H.264.
    ///   - name: Name of the track.
    ///   - start: T0, the start time of the recording, on the session's clock.
    ///   - rate: Rate of the timeline's calls to the track.
    ///   - sink: The track's stream in its movie.
    init(input: CameraInput, name: String, start: ClockTime, rate: FrameRate, sink: TrackSink) {
        self.name = name
        self.start = start
        self.rate = rate
        self.sink = sink
        camera = CameraDeliveryHandler(input, track: name, start: start)
        stream = input.replacementCount
        aligner = KeyStreamAligner(
            start: start, cameraInterval: input.isPaced ? input.source.format.rate.interval : nil,
            defaultCause: input.source.outageCause)
    }

    /// Current counts of the frames that the track has passed to its files, without hidden frames before T0.
    var counts: FrameCounts { FrameCounts(aligner.delivery, written: sink.receivedCounts) }

    /// Returns the counts of the track's frames in a closed file.
    ///
    /// - Parameter ledger: The ledger of the track's stream in the file.
    /// - Returns: The counts of the track's frames in the file.
    func counts(in ledger: StreamLedger) -> FrameCounts {
        FrameCounts(
            aligner.delivery, written: ledger.written.frames, dropped: [.disk: ledger.dropped.frames])
    }

    /// Gaps of the track so far.
    var gaps: [Gap] { camera.outages.gaps }
    /// The camera that supplies the track's frames.
    var input: CameraInput { camera.input }

    /// Processes the camera's deliveries since the last call.
    func receive(_ deliveries: [CameraInput.Delivery]) {
        camera.handle(deliveries, into: &aligner)
        for case .frame(let dated) in deliveries where dated.stream > successor?.stream ?? stream {
            successor = dated
        }
    }

    /// Returns the first frame of another source, or `nil` if no source has changed since the last call. The
    /// caller must begin a new part for this frame.
    func dequeueSuccessor() -> DatedFrame? {
        guard let next = successor else { return nil }
        (stream, successor) = (next.stream, nil)
        return next
    }

    /// Continues in a new file at the first key frame at or after a time relative to T0.
    func beginPart(at time: MediaTime) { partStart = time }

    /// Writes the frames captured before a tick.
    ///
    /// - Parameter tick: Index of the tick on the grid of `rate`, counted from T0.
    func step(tick: Int64) {
        let time = rate.time(ofTick: tick)
        write(before: time)
        if let partStart, time >= partStart, camera.outages.awaySince != nil, aligner.isEmpty {
            beginPartWhileAway(at: partStart)
        }
    }

    /// Begins a new file while the camera is disconnected. The previous file shows the last frame until the
    /// new file begins. The new file doesn't wait for the camera's next frame, which will be a key frame.
    private func beginPartWhileAway(at partStart: MediaTime) {
        appendLast(until: partStart)
        self.partStart = nil
        sink.skipSplit()
    }

    /// Ends the track. Don't call `step` after this call.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        write(before: end)
        appendLast(until: end)
        camera.finish(at: end, aligner.finish(at: start + Nanoseconds(end.nanoseconds)))
        sink.finish()
    }

    private func appendLast(until end: MediaTime) {
        if let pendingEntry {
            append(
                pendingEntry.frame, from: pendingEntry.tick,
                to: max(Self.ticks(at: end), pendingEntry.tick + 1))
        }
        pendingEntry = nil
    }

    private func write(before limit: MediaTime) {
        for entry in aligner.dequeue(before: start + Nanoseconds(limit.nanoseconds)) {
            if firstTime == nil { firstTime = Self.scale.time(ofTick: entry.tick) }
            if let pendingEntry { append(pendingEntry.frame, from: pendingEntry.tick, to: entry.tick) }
            pendingEntry = entry
        }
    }

    private func append(_ frame: CapturedFrame, from tick: Int64, to next: Int64) {
        if let partStart, frame.isKey, tick >= Self.ticks(at: partStart) { self.partStart = nil }
        let shown = tick < 0 && next > 0 ? 0 : tick
        sink.append(
            EncodedPacket(
                bytes: frame.memory, presentation: shown, decode: shown, duration: next - shown,
                isKey: frame.isKey,
                fate: fate(from: tick, to: next)))
    }

    /// Returns the fate of a frame, or `nil` if the frame precedes T0 and is in the file only because later frames
    /// depend on it.
    private func fate(from tick: Int64, to next: Int64) -> Fate? {
        guard tick < 0 else { return .captured }
        guard next > 0 else { return nil }
        // A camera that works has captured a frame within the last few frame intervals before T0.
        let interval = Nanoseconds(Self.scale.time(ofTick: -tick).nanoseconds) / 2
        return interval > input.deliveredFormat.rate.interval
            ? .duplicated(input.source.outageCause) : .captured
    }

    private static let scale = FrameRate(StreamParameters.captureTimeScale)

    private static func ticks(at time: MediaTime) -> Int64 {
        time.ticks(perSecond: StreamParameters.captureTimeScale)
    }
}

/// A track that encodes a camera's frames at the track's own size, one frame per tick. Use this type only on
/// the timeline's thread.
final class EncodedTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate of the track's grid.
    let rate: FrameRate
    /// Composes and encodes the track's frames.
    let encoder: VideoEncoderWorker
    private var aligner: GridAligner
    private var lastFrame: CapturedFrame?
    private let place: PlannedLayer
    private var caption: SlateCaption
    /// Number of camera replacements that are taken into account in the caption.
    private var replacements: Int
    /// Index of the tick whose frame must be a key frame, or `nil` if no key frame is required.
    private var keyTick: Int64?
    /// Selects the frames that the encoder receives; `nil` when no governor runs.
    var intake: EncoderIntake?
    /// Whether JPEG frames may be decoded at half the displayed size.
    var isCoarse = false
    /// Whether the next ticks are so late that their frames can't be encoded.
    var isOverdue = false
    /// Whether the encoder has received a frame or a slate.
    private(set) var hasFrame = false
    /// Whether the last frame passed to the encoder is a slate.
    private var showsSlate = false

    /// Creates an encoded track.
    ///
    /// - Parameters:
    ///   - aligner: Aligns the camera's frames to the track's grid.
    ///   - rate: Rate of the track's grid.
    ///   - place: Crop, orientation and position of the camera's frame in the encoded frame.
    ///   - caption: The text of the track's slates.
    ///   - encoder: Composes and encodes the frames.
    init(
        aligner: GridAligner, rate: FrameRate, place: PlannedLayer, caption: SlateCaption,
        encoder: VideoEncoderWorker
    ) {
        name = aligner.track
        self.aligner = aligner
        self.rate = rate
        self.place = place
        self.caption = caption
        replacements = aligner.input.replacementCount
        self.encoder = encoder
    }

    /// The camera that supplies the track's frames.
    var input: CameraInput { aligner.input }
    /// Current counts of the frames that the track has passed to its file.
    var counts: FrameCounts { encoder.counts(aligner.delivery) }
    /// Gaps of the track so far.
    var gaps: [Gap] { aligner.gaps }

    /// Returns the counts of the track's frames in a closed file.
    ///
    /// - Parameter ledger: The ledger of the track's stream in the file.
    /// - Returns: The counts of the track's frames in the file.
    func counts(in ledger: StreamLedger) -> FrameCounts {
        encoder.counts(aligner.delivery, in: ledger)
    }

    /// Makes the frame of the tick with this index a key frame, so that a new file can begin with this frame.
    func beginPart(at tick: Int64) { keyTick = tick }

    /// Processes the camera's deliveries since the last call.
    func receive(_ deliveries: [CameraInput.Delivery]) {
        aligner.handle(deliveries)
        guard input.replacementCount != replacements else { return }
        replacements = input.replacementCount
        caption = caption.withDevice(input.source.device.name)
    }

    /// Processes the next tick of the track's grid. Call this method once for each tick, in order.
    ///
    /// - Parameter tick: Index of the tick, counted from T0.
    func step(tick: Int64) {
        let asKey = keyTick == tick
        let choice = aligner.choose(tick: tick)
        let fate = aligner.fate
        switch choice {
        case .show(let dated):
            guard !dated.isUndecodable else {
                return encoder.repeatLast(tick: tick, asKey: asKey, fate: fate.superseded(by: .corrupt))
            }
            if let cause = dropCause(ofTick: tick) {
                return encoder.repeatLast(tick: tick, asKey: asKey, fate: fate.superseded(by: cause))
            }
            // While the stream decoder hasn't returned this frame yet, the previous frame is shown.
            let frame = dated.shown ?? lastFrame
            lastFrame = frame
            encode(frame, tick: tick, asKey: asKey, fate: fate)
        case .repeatLast: encoder.repeatLast(tick: tick, asKey: asKey, fate: fate)
        case .slate where isOverdue && showsSlate: encoder.repeatLast(tick: tick, asKey: asKey, fate: fate)
        case .slate:
            lastFrame = nil
            // A slate is duplicated like a frame, because the encoder detects that nothing has changed.
            encode(nil, tick: tick, asKey: asKey, fate: fate)
        }
    }

    private func encode(_ frame: CapturedFrame?, tick: Int64, asKey: Bool, fate: Fate) {
        (hasFrame, showsSlate) = (true, fate.isSlate)
        encoder.encode([layer(frame)], tick: tick, asKey: asKey, fate: fate)
    }

    /// Ends the track. Don't call `step` after this call.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        aligner.finish(at: end)
        encoder.finish()
    }

    private func layer(_ frame: CapturedFrame?) -> FrameLayer {
        FrameLayer(
            frame: frame, place, plannedSize: input.firstSource.format.size, caption: caption,
            isCoarse: isCoarse)
    }
}
