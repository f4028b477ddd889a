internal import CMulticamMedia
import MulticamMedia

/// Composes layers directly into the frame that x264 reads. Not thread-safe: use it from one thread only.
///
/// x264 copies a frame before the encoding call returns, so one frame buffer is enough for the entire stream,
/// and the buffer always contains the last frame. If a later version of the library keeps a reference to the
/// buffer, libavcodec copies the frame before the frame is modified.
///
/// If a hardware encoder is used, x264 is the standby encoder, which takes over in the same file, starting at
/// the first frame that the hardware did not return. Frames that the hardware encoder hasn't returned are
/// replaced with the current frame. x264 then uses `ultrafast`, because the plan doesn't include its CPU
/// cost.
final class ComposedVideoEncoder: VideoEncoding {
    /// A tick whose frame was sent to the hardware encoder but has not been returned yet.
    private struct Pending {
        let tick: Int64
        let isNew: Bool
        let asKey: Bool
    }

    private let settings: VideoEncodingSettings
    /// Preset that x264 currently uses. The parameter sets remain those of `settings.preset`.
    private var preset: VideoEncodingSettings.Preset
    private let name: String
    private let threads: Int
    private let frame: OwnedFrame
    private var stream: any VideoStream
    /// The hardware encoder in use; `nil` if x264 is used.
    private(set) var hardware: HardwareEncoder?
    private var pending: [Pending] = []
    private var lastTick: Int64 = 0
    private var fallback: EncoderFallback?
    private var compositor: Compositor
    /// Memory for copies of composed frames that are sent to taps.
    private let pool = BytesPool()
    private var isColorFixed: Bool
    private var hasFrame = false
    private var isKeyRequested = false
    /// Two encoded key frames of the current canvas, which are copied to fill a long run of repeated frames;
    /// `nil` after a new frame has been encoded.
    private var stillFrames: [EncodedPacket]?
    /// Parameters of the hardware stream at the beginning of the file, set when x264 takes over.
    private var hardwareParameters: StreamParameters?

    /// Opens the encoder given in the settings.
    ///
    /// - Parameters:
    ///   - settings: Frame size, frame rate, quality, and encoder of the stream. Width and height must be
    ///     even.
    ///   - name: Name of the track, used in messages.
    ///   - threads: Number of x264 threads, 1…16. Two threads use the same amount of CPU time as one.
    ///   - open: Opens the hardware encoder given in the settings; `nil` uses libavcodec.
    ///   - frameTimeout: Maximum time that the hardware may take per frame.
    /// - Throws: An error if the width or height is odd, x264 is missing, rejects the settings, or can't allocate
    ///   memory, or required hardware rejects the stream.
    init(
        _ settings: VideoEncodingSettings, name: String, threads: Int = 2, open: HardwareCoderFactory? = nil,
        frameTimeout: Nanoseconds = CoderThread.defaultFrameTimeout
    ) throws(EncodingError) {
        self.settings = settings
        self.name = name
        self.threads = threads
        preset = settings.preset
        let color = settings.color ?? .jpeg
        isColorFixed = settings.color != nil
        if let wanted = settings.hardware {
            do throws(EncodingError) {
                stream = try Self.makeHardwareStream(settings, wanted, name, threads, open, frameTimeout)
                hardware = wanted
            } catch {
                if settings.isHardwareRequired { throw error }
                stream = try Self.makeStream(settings, settings.preset, name, threads, color)
                fallback = EncoderFallback(from: wanted, reason: error.description)
            }
        } else {
            stream = try Self.makeStream(settings, settings.preset, name, threads, color)
        }
        compositor = Compositor(color: color)
        frame = try OwnedFrame(name)
        frame.pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        frame.pointer.pointee.width = Int32(settings.size.width)
        frame.pointer.pointee.height = Int32(settings.size.height)
        let result = av_frame_get_buffer(frame.pointer, 0)
        guard result >= 0 else { throw EncodingError(name, "av_frame_get_buffer", code: result) }
    }

    private static func makeStream(
        _ settings: VideoEncodingSettings, _ preset: VideoEncodingSettings.Preset, _ name: String,
        _ threads: Int, _ color: ColorDescription
    ) throws(EncodingError) -> X264Stream {
        try X264Stream(
            name, size: settings.size, rate: settings.rate, preset: preset, continuing: settings.preset,
            quality: settings.quality, color: color, purpose: .recording(threads: threads))
    }

    private static func makeHardwareStream(
        _ settings: VideoEncodingSettings, _ hardware: HardwareEncoder, _ name: String, _ threads: Int,
        _ open: HardwareCoderFactory?, _ patience: Nanoseconds
    ) throws(EncodingError) -> HardwareStream {
        guard let color = settings.color else {
            throw EncodingError(
                subject: hardware.name, operation: "opening",
                reason: "the color space is unknown before the first frame")
        }
        // This spare x264 stream is created only to get its parameter sets, which are the same each time.
        let spare = try makeSpare(settings, name, threads, color)
        return try HardwareStream(
            hardware.name, settings, spare: spare.parameters.setup,
            frameTimeout: patience, open: open ?? LibraryCoder.makeFactory(for: hardware))
    }

    private static func makeSpare(
        _ settings: VideoEncodingSettings, _ name: String, _ threads: Int, _ color: ColorDescription
    ) throws(EncodingError) -> X264Stream {
        try X264Stream(
            name, size: settings.size, rate: settings.rate, preset: .ultrafast, quality: settings.quality,
            color: color, purpose: .spare(threads: threads))
    }

    /// Description of the stream. If the settings don't specify a color description, the stream's description
    /// is final only after the first call of `encode`, because the parameter sets contain the color
    /// description. Before that call, this property contains JPEG's color description.
    var parameters: StreamParameters { hardwareParameters ?? stream.parameters }

    func requestKeyFrame() {
        isKeyRequested = true
    }

    func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames {
        try FrameComposer.check(layers, inside: settings.size, of: name)
        try fixColor(layers)
        if !compositor.shows(layers) {
            let canvas = try writableCanvas()
            compositor.compose(layers, onto: canvas)
            hasFrame = true
        }
        return EncodedFrames(packets: try send(tick, isNew: true), damagedLayers: compositor.damagedLayers)
    }

    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames {
        EncodedFrames(packets: try send(tick, isNew: false))
    }

    /// Repeats the last frame for a run of ticks. Long runs are byte-for-byte copies of two key frames, so
    /// they cost as much CPU time as two frames, regardless of length. After the copies, encoding continues
    /// with a new x264 stream. Two key frames are needed because consecutive key frames must have different
    /// numbers (`idr_pic_id`, ITU-T H.264, 7.4.3). Hardware encoders encode the frame again for each tick.
    func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames {
        guard hardware == nil, ticks.count > FrameRun.maxIndividualRepeats else {
            var packets: [EncodedPacket] = []
            for tick in ticks { packets += try send(tick, isNew: false) }
            return EncodedFrames(packets: packets)
        }
        var packets: [EncodedPacket] = []
        let frames: [EncodedPacket]
        if let stillFrames {
            frames = stillFrames
        } else {
            packets = try stream.flush()
            frames = try encodeStillFrames(at: ticks.lowerBound)
        }
        isKeyRequested = false
        let duration = stream.parameters.rate?.seconds ?? 1
        for (index, tick) in ticks.enumerated() {
            let frame = frames[index % frames.count]
            let presentation = tick * duration
            packets.append(
                EncodedPacket(
                    bytes: frame.bytes, presentation: presentation,
                    decode: presentation - (frame.presentation - frame.decode), duration: duration,
                    isKey: true))
        }
        stillFrames = frames
        return EncodedFrames(packets: packets)
    }

    /// Encodes the canvas as two key frames, and replaces the x264 stream with a new one that has not encoded
    /// any frames.
    private func encodeStillFrames(at tick: Int64) throws(EncodingError) -> [EncodedPacket] {
        try fillIfEmpty()
        let still = try makeSuccessor()
        var frames = try still.encode(frame.pointer, tick: tick, asKey: true)
        frames += try still.encode(frame.pointer, tick: tick + 1, asKey: true)
        frames += try still.flush()
        guard frames.count == 2, frames.allSatisfy(\.isKey) else {
            throw EncodingError(
                subject: name, operation: "encoding repeated frames",
                reason: "x264 did not produce the requested key frames")
        }
        stream = try makeSuccessor()
        return frames
    }

    /// Creates another x264 stream with the parameter sets of the current one.
    private func makeSuccessor() throws(EncodingError) -> X264Stream {
        let color = stream.parameters.color ?? .jpeg
        if hardwareParameters != nil { return try Self.makeSpare(settings, name, threads, color) }
        return try Self.makeStream(settings, preset, name, threads, color)
    }

    func composedFrame(at time: ClockTime, sequence: Int64) -> CapturedFrame? {
        guard hasFrame, let planes = canvas else { return nil }
        return planes.makeFrame(
            color: stream.parameters.color ?? .jpeg, at: time, sequence: sequence, from: pool)
    }

    func dequeueFallback() -> EncoderFallback? { fallback.take() }

    /// Switches to a new x264 encoder, which starts with a key frame. Both encoders use the same delay for
    /// decoding times, so the packet times keep increasing.
    func changePreset(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket] {
        // Hardware encoders have no x264 presets. An x264 stream that has replaced a hardware encoder already
        // uses the fastest preset.
        guard preset != self.preset, hardware == nil, hardwareParameters == nil else { return [] }
        let known = stream.parameters
        let next = try Self.makeStream(settings, preset, name, threads, known.color ?? .jpeg)
        guard next.parameters.setup == known.setup else {
            throw EncodingError(
                subject: name, operation: "switching to the x264 preset \(preset.rawValue)",
                reason:
                    "the parameter sets differ from those in the file (preset \(settings.preset.rawValue))")
        }
        let packets = try stream.flush()
        stream = next
        self.preset = preset
        return packets
    }

    func finish(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket] {
        guard hardware != nil else { return try stream.flush(unless: isAbandoned) }
        do throws(EncodingError) {
            return try stream.flush(unless: isAbandoned)
        } catch {
            let packets = try fallBackToSoftware(since: error)
            return packets + (try stream.flush(unless: isAbandoned))
        }
    }

    private func fillIfEmpty() throws(EncodingError) {
        guard !hasFrame else { return }
        try writableCanvas().fill(.black(in: stream.parameters.color ?? .jpeg))
        hasFrame = true
    }

    private func send(_ tick: Int64, isNew: Bool) throws(EncodingError) -> [EncodedPacket] {
        try fillIfEmpty()
        stillFrames = nil
        let asKey = isKeyRequested
        isKeyRequested = false
        guard hardware != nil else { return try stream.encode(frame.pointer, tick: tick, asKey: asKey) }
        lastTick = tick
        pending.append(Pending(tick: tick, isNew: isNew, asKey: asKey))
        do throws(EncodingError) {
            let packets = try stream.encode(frame.pointer, tick: tick, asKey: asKey)
            pending.removeFirst(packets.count)
            return packets
        } catch {
            return try fallBackToSoftware(since: error)
        }
    }

    /// Replaces the hardware encoder with x264 and encodes every tick that the hardware did not return.
    private func fallBackToSoftware(since failure: EncodingError) throws(EncodingError) -> [EncodedPacket] {
        guard let left = hardware else { preconditionFailure("the hardware encoder was already replaced") }
        let known = stream.parameters
        let spare = try Self.makeSpare(settings, name, threads, known.color ?? .jpeg)
        // The spare stream must have the same parameter sets as those written at the beginning of the file.
        guard known.setup.suffix(spare.parameters.setup.count).elementsEqual(spare.parameters.setup) else {
            throw failure
        }
        stream = spare
        hardwareParameters = known
        hardware = nil
        var packets: [EncodedPacket] = []
        for (index, missing) in pending.enumerated() {
            packets += try stream.encode(
                frame.pointer, tick: missing.tick, asKey: index == 0 || missing.asKey)
        }
        // The newest pending frame is the current frame and therefore isn't lost.
        fallback = EncoderFallback(
            from: left, reason: failure.description, tick: pending.first?.tick ?? lastTick,
            lostFrames: max(0, pending.count(where: \.isNew) - 1))
        pending = []
        return packets
    }

    /// Sets the stream's color description to that of the first frame if the settings don't specify one.
    private func fixColor(_ layers: [FrameLayer]) throws(EncodingError) {
        guard !isColorFixed else { return }
        isColorFixed = true
        guard !hasFrame, let first = layers.lazy.compactMap(\.frame).first else { return }
        let color = FramePainter.paintedColor(of: first)
        guard color != stream.parameters.color else { return }
        stream = try Self.makeStream(settings, preset, name, threads, color)
        compositor = Compositor(color: color)
    }

    private func writableCanvas() throws(EncodingError) -> Planes {
        let result = av_frame_make_writable(frame.pointer)
        guard result >= 0 else { throw EncodingError(name, "av_frame_make_writable", code: result) }
        guard let planes = canvas else {
            preconditionFailure("a writable frame must have three planes")
        }
        return planes
    }

    /// Planes of the frame buffer that x264 reads.
    private var canvas: Planes? {
        let facts = frame.pointer.pointee
        guard let y = facts.data.0, let u = facts.data.1, let v = facts.data.2 else { return nil }
        return Planes(
            y: y, u: u, v: v, yStride: Int(facts.linesize.0), uStride: Int(facts.linesize.1),
            vStride: Int(facts.linesize.2), size: settings.size, horizontalShift: 1, verticalShift: 1)
    }
}
