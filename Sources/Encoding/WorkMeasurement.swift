internal import CMulticamMedia
internal import FoundationEssentials
internal import Glibc
package import MulticamMedia

/// Measures the cost of each kind of work on this machine. Each kind of work is measured with synthetic
/// frames and audio of two sizes, and a line is fitted through both results.
///
/// The result is the median of several runs. Each run measures the thread's CPU time, which depends little on
/// other processes. During the measurement, background threads are busy half of the time, as in a recording.
/// This load matters because CPUs that share a core, caches, or the memory bus slow each other down. The
/// measurement takes several seconds and blocks the calling thread.
package struct WorkMeasurement {
    /// CPU time of one measured operation in nanoseconds, and the number of units that the operation
    /// processed.
    private struct Sample {
        let nanoseconds: Double
        let units: Double
    }

    private static let name = "the cost measurement"
    private static let small = FrameSize(width: 640, height: 360)
    private static let large = FrameSize(width: 1280, height: 720)
    private static let runs = 5
    private static let encodedFrames = 60

    /// Creates a measurement. Call `table` to run the measurement.
    package init() {}

    /// Measures all kinds of work except `deliver`, which can only be measured in recordings. Blocks the calling thread
    /// for several seconds.
    ///
    /// - Parameter progress: Called with the completed fraction, 0…1.
    /// - Returns: The cost table of this machine.
    /// - Throws: An error if a codec is missing or fails to open.
    package func table(progress: (Double) -> Void = { _ in }) throws(EncodingError) -> CostTable {
        try table(of: WorkKind.allCases.filter { $0 != .deliver }, progress: progress)
    }

    /// Measures only the given kinds of work, for tests.
    func table(of all: [WorkKind], progress: (Double) -> Void = { _ in }) throws(EncodingError) -> CostTable {
        var table = CostTable(plain: [:], photographic: [:])
        let company = BackgroundLoad()
        defer { company.stop() }
        for (index, detail) in CostTable.Detail.allCases.enumerated() {
            let (small, large) = (
                BenchmarkFrames(detail, size: Self.small), BenchmarkFrames(detail, size: Self.large)
            )
            let kinds = all.filter { detail == .plain || $0.dependsOnDetail }
            for (position, kind) in kinds.enumerated() {
                progress((Double(index) + Double(position) / Double(kinds.count)) / 2)
                let entry = Self.line(
                    through: try Self.sample(kind, small, detail), try Self.sample(kind, large, detail))
                switch detail {
                case .plain: table.plain[kind] = entry
                case .photographic: table.photographic[kind] = entry
                }
            }
        }
        progress(1)
        return table
    }

    private static func line(through small: Sample, _ large: Sample) -> CostTable.Entry {
        let slope = max(0, (large.nanoseconds - small.nanoseconds) / (large.units - small.units))
        return CostTable.Entry(
            nanosecondsPerPiece: max(0, small.nanoseconds - slope * small.units), nanosecondsPerUnit: slope)
    }

    private static func sample(
        _ kind: WorkKind, _ material: BenchmarkFrames, _ detail: CostTable.Detail
    ) throws(EncodingError) -> Sample {
        let pixels = Double(material.size.pixelCount)
        // Work on audio and bytes is also measured with two input sizes.
        let scale = material.size == small ? 1 : 2
        switch kind {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8:
            return Sample(nanoseconds: try measureJPEGDecoding(material, kind), units: pixels)
        case .decodeH264: return Sample(nanoseconds: try measureH264Decoding(material), units: pixels)
        case .unpack, .turn, .recolor, .scale: return try measureConversion(kind, material)
        case .encodeUltrafast:
            return Sample(nanoseconds: try measureEncoding(material, .ultrafast), units: pixels)
        case .encodeBalanced:
            return Sample(nanoseconds: try measureEncoding(material, .balanced), units: pixels)
        case .encodeSuperfast:
            return Sample(nanoseconds: try measureEncoding(material, .superfast), units: pixels)
        case .encodeVeryfast:
            return Sample(nanoseconds: try measureEncoding(material, .veryfast), units: pixels)
        case .encodeAudio: return try measureAudioEncoding(channels: scale, detail)
        case .resample: return try measureResampling(sampleCount: 960 * scale)
        case .store: return measureStoring(byteCount: 50_000 * scale * scale)
        case .deliver: preconditionFailure("wake-ups can be measured only in recordings")
        case .analyze: preconditionFailure("the cost of the analysis is derived")
        }
    }

    // MARK: Frames

    private static func measureJPEGDecoding(_ material: BenchmarkFrames, _ kind: WorkKind)
        throws(EncodingError)
        -> Double
    {
        let scale = JPEGScale.allCases.first { WorkKind($0) == kind } ?? .whole
        let frames = try material.jpegs()
        let decoder = JPEGDecoder()
        var scratch = ScratchPlanes()
        return medianTime(of: frames.count) {
            for frame in frames {
                guard let header = decoder.header(of: frame.memory) else { continue }
                _ = decoder.decode(
                    frame.memory, header, into: scratch.planes(scale.scaled(material.size), 1, 0))
            }
        }
    }

    private static func measureH264Decoding(_ material: BenchmarkFrames) throws(EncodingError) -> Double {
        let encoder = try H264Encoder(size: material.size, rate: FrameRate(30))
        var units: [CapturedFrame] = []
        let planes = FramePlane.packed(.i420, material.size).planes
        for index in 0..<encodedFrames {
            let frame = material.frame(at: index)
            for packet in try encoder.encode(i420: frame, planes: planes, tick: Int64(index)) {
                units.append(
                    CapturedFrame(
                        pixel: .h264, size: material.size, color: .bt709Limited,
                        capturedAt: ClockTime(nanoseconds: Int64(index)), sequence: Int64(index),
                        isKey: packet.isKey, memory: packet.bytes, isOwned: true))
            }
        }
        let decoder = try H264Decoder(name: name)
        return try medianTimeThrowing(of: units.count, runs: 1) { () throws(EncodingError) in
            for unit in units { _ = try decoder.decode(unit) }
        }
    }

    private static func measureConversion(_ kind: WorkKind, _ material: BenchmarkFrames) throws(EncodingError)
        -> Sample
    {
        let size = material.size
        let sources = material.frames.map { Planes(i420: $0, size: size) }
        var scratch = ScratchPlanes()
        let pixels = Double(size.pixelCount)
        switch kind {
        case .unpack:
            let painter = FramePainter()
            let (layout, byteCount) = FramePlane.packed(.yuyv, size)
            let frame = CapturedFrame(
                pixel: .yuyv, size: size, color: .bt709Limited, capturedAt: ClockTime(nanoseconds: 0),
                sequence: 0,
                memory: SharedBytes(repeatElement(128, count: byteCount)), planes: layout, isOwned: true)
            let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
            let time = medianTime(of: sources.count) {
                for _ in sources { _ = painter.paint(frame, whole, into: scratch.planes(size, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels)
        case .scale:
            let target = FrameSize(width: size.width * 3 / 4 & ~1, height: size.height * 3 / 4 & ~1)
            let time = medianTime(of: sources.count) {
                for source in sources { source.scale(into: scratch.planes(target, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels + Double(target.pixelCount))
        case .turn:
            let time = medianTime(of: sources.count) {
                for source in sources { source.rotate(.quarter, into: scratch.planes(size.transposed, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels)
        default:
            let map = ColorMap(from: .jpeg, to: .bt709Limited)
            let time = medianTime(of: sources.count) { for source in sources { map?.convert(source) } }
            return Sample(nanoseconds: time, units: pixels)
        }
    }

    /// Measures encoding on one thread. The CPU time is the same with more threads.
    private static func measureEncoding(
        _ material: BenchmarkFrames, _ preset: VideoEncodingSettings.Preset
    ) throws(EncodingError) -> Double {
        let settings = VideoEncodingSettings(size: material.size, rate: FrameRate(30), preset: preset)
        let whole = PixelRectangle(x: 0, y: 0, width: material.size.width, height: material.size.height)
        let planes = FramePlane.packed(.i420, material.size).planes
        let layers = (0..<encodedFrames).map { index in
            FrameLayer(
                frame: CapturedFrame(
                    pixel: .i420, size: material.size, color: .bt709Limited,
                    capturedAt: ClockTime(nanoseconds: 0), sequence: Int64(index),
                    memory: material.frame(at: index), planes: planes, isOwned: true),
                LayerShape(whole))
        }
        let encoder = try ComposedVideoEncoder(settings, name: name, threads: 1)
        return try medianTimeThrowing(of: encodedFrames, runs: 1) { () throws(EncodingError) in
            for tick in 0..<encodedFrames {
                _ = try encoder.encode([layers[tick]], tick: Int64(tick))
            }
            _ = try encoder.finish()
        }
    }

    // MARK: Audio and bytes

    private static func measureAudioEncoding(
        channels: Int, _ detail: CostTable.Detail
    ) throws(EncodingError) -> Sample {
        let encoder = try AACEncoder(channels: channels, bitrate: 96_000 * channels, name: name)
        let frames = 200
        let samples = detail == .plain ? beeps(frames, channels) : noise(1024 * channels * frames)
        let time = try medianTimeThrowing(of: frames, runs: 1) { () throws(EncodingError) in
            _ = try encoder.encode(samples)
        }
        return Sample(nanoseconds: time, units: Double(1024 * channels))
    }

    private static func measureResampling(sampleCount: Int) throws(EncodingError) -> Sample {
        let resampler = try DriftResampler(from: AudioFormat(rate: 48_000, channels: 1), name: name)
        let samples = noise(sampleCount)
        let time = try medianTimeThrowing(of: 100, runs: runs) { () throws(EncodingError) in
            for _ in 0..<100 {
                try resampler.correct(partsPerMillion: 50)
                _ = try resampler.convert(samples)
            }
        }
        return Sample(nanoseconds: time, units: Double(sampleCount))
    }

    /// Measures the cost of copying bytes in memory and appending them to a memory file. The cost includes
    /// the kernel's allocation of the file's pages.
    private static func measureStoring(byteCount: Int) -> Sample {
        let descriptor = media_memory_file()
        defer { if descriptor >= 0 { close(descriptor) } }
        let source = SharedBytes(repeatElement(7, count: byteCount))
        let pieces = 20
        let time = medianTime(of: pieces) {
            if descriptor >= 0 { ftruncate(descriptor, 0) }
            for index in 0..<pieces {
                let copy = SharedBytes(copying: source.bytes)
                if descriptor >= 0 { pwrite(descriptor, copy.start, copy.count, off_t(index * byteCount)) }
            }
        }
        return Sample(nanoseconds: time, units: Double(byteCount))
    }

    /// Audio of synthetic microphones: a 40 ms beep at the start of each second, otherwise silence.
    private static func beeps(_ frames: Int, _ channels: Int) -> [Float] {
        (0..<1024 * channels * frames).map { index in
            let sample = index / channels % AudioFormat.sessionRate
            return sample < AudioFormat.sessionRate / 25 ? 0.5 * sinf(Float(sample) * 2 * .pi / 48) : 0
        }
    }

    private static func noise(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(Int32(bitPattern: state)) / 4e9
        }
    }

    // MARK: Timing

    private static func medianTime(of pieces: Int, _ body: () -> Void) -> Double {
        let times = (0..<runs).map { _ in
            let begin = threadTime
            body()
            return threadTime - begin
        }
        return times.sorted()[runs / 2] / Double(max(pieces, 1))
    }

    private static func medianTimeThrowing(
        of pieces: Int, runs: Int, _ body: () throws(EncodingError) -> Void
    ) throws(EncodingError) -> Double {
        var times: [Double] = []
        for _ in 0..<max(runs, 1) {
            let begin = threadTime
            try body()
            times.append(threadTime - begin)
        }
        return times.sorted()[times.count / 2] / Double(max(pieces, 1))
    }

    private static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Threads that keep the other CPUs busy half of the time. The threads rotate frames until `stop` is called.
final class BackgroundLoad {
    private let done = Cancellation()
    private var threads: [MediaThread] = []

    private static let size = FrameSize(width: 640, height: 360)
    private static let burstDuration = Nanoseconds.milliseconds(4)

    /// Starts one thread for each CPU except the caller's, but at most eight threads. More threads aren't
    /// needed, because they wouldn't share a core with the caller.
    init() {
        let count = min(ProcessInfo.processInfo.activeProcessorCount - 1, 8)
        let done = done
        threads = (0..<max(count, 0)).map { _ in
            MediaThread.startWhenPossible(name: "company") {
                let material = BenchmarkFrames(.photographic, size: Self.size)
                let planes = material.frames.map { Planes(i420: $0, size: Self.size) }
                var scratch = ScratchPlanes()
                let clock = MonotonicClock()
                while true {
                    let end = clock.now + Self.burstDuration
                    while clock.now < end {
                        for source in planes {
                            source.rotate(.quarter, into: scratch.planes(Self.size.transposed, 1, 1))
                        }
                    }
                    guard clock.sleep(until: clock.now + Self.burstDuration, unless: done) else { return }
                }
            }
        }
    }

    /// Stops the threads and waits until they have ended.
    func stop() {
        done.cancel()
        for thread in threads { thread.join() }
    }
}

/// A few consecutive frames for measuring work: either simple frames like those of synthetic cameras, or frames with as
/// much detail as a real camera's.
struct BenchmarkFrames {
    let size: FrameSize
    /// The frames, in packed I420.
    let frames: [SharedBytes]
    /// White frame that appears once per second, like the flash of a synthetic camera; `nil` for photographic
    /// material.
    let flash: SharedBytes?

    private static let count = 8
    /// Distance in pixels that the scene moves from one frame to the next.
    private static let motion = 3
    /// Amplitude of the luma noise, in code values, as from a webcam's sensor in indoor light.
    private static let grain = 3

    init(_ detail: CostTable.Detail, size: FrameSize) {
        self.size = size
        let byteCount = FramePlane.packed(.i420, size).byteCount
        if detail == .plain {
            let memory = SharedBytes(count: byteCount)
            Planes(i420: memory, size: size).fill(YCbCr(y: 235, cb: 128, cr: 128))
            flash = memory
        } else {
            flash = nil
        }
        frames = (0..<Self.count).map { index in
            let memory = SharedBytes(count: byteCount)
            let planes = Planes(i420: memory, size: size)
            switch detail {
            case .photographic:
                let chroma = planes.chromaSize
                for (plane, stride, side, grain) in [
                    (planes.y, planes.yStride, size, Self.grain), (planes.u, planes.uStride, chroma, 1),
                    (planes.v, planes.vStride, chroma, 1),
                ] {
                    media_paint_texture(
                        plane, Int32(stride), Int32(side.width), Int32(side.height),
                        Int32(index * Self.motion),
                        Int32(grain), UInt32(index))
                }
            case .plain: Self.paintPlain(planes, index)
            }
            return memory
        }
    }

    /// Paints single-color tiles, a moving box, and a strip of black and white cells that encode the frame
    /// number.
    private static func paintPlain(_ planes: Planes, _ index: Int) {
        planes.fill(YCbCr(y: 110, cb: 128, cr: 128))
        let (columns, rows) = (8, 6)
        let tile = FrameSize(
            width: planes.size.width / columns & ~1, height: planes.size.height / rows & ~1)
        for column in 0..<columns {
            for row in 0..<rows {
                let place = PixelRectangle(
                    x: column * tile.width, y: row * tile.height, width: tile.width - 2,
                    height: tile.height - 2)
                planes.part(place).fill(
                    YCbCr(y: UInt8(60 + column * 15), cb: UInt8(100 + row * 10), cr: UInt8(150 - column * 5)))
            }
        }
        let box = PixelRectangle(
            x: (index * 8 * Self.motion) & ~1, y: planes.size.height / 2 & ~1, width: tile.width,
            height: tile.height)
        planes.part(box).fill(YCbCr(y: 200, cb: 60, cr: 160))
        let cells = 64
        let cell = FrameSize(width: planes.size.width / cells & ~1, height: planes.size.height / 16 & ~1)
        var bits = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
        for column in 0..<cells {
            let place = PixelRectangle(x: column * cell.width, y: 0, width: cell.width, height: cell.height)
            planes.part(place).fill(YCbCr(y: bits & 1 == 0 ? 16 : 235, cb: 128, cr: 128))
            bits >>= 1
        }
    }

    /// Returns the frame at a position in the sequence, at 30 frames per second. After the last frame, the
    /// sequence repeats.
    func frame(at index: Int) -> SharedBytes {
        if let flash, index % 30 == 20 { return flash }
        return frames[index % frames.count]
    }

    /// Encodes the frames as 4:2:2 JPEGs, like those of a webcam.
    func jpegs() throws(EncodingError) -> [CapturedFrame] {
        let encoder = JPEGEncoder(quality: 85)
        var scratch = ScratchPlanes()
        var result: [CapturedFrame] = []
        for (index, memory) in frames.enumerated() {
            let wide = scratch.planes(size, 1, 0)
            Planes(i420: memory, size: size).scale(into: wide)
            let bytes = try encoder.encode(
                planes: wide.y, yStride: wide.yStride, u: wide.u, uStride: wide.uStride, v: wide.v,
                vStride: wide.vStride, size: size, chroma: .c422)
            result.append(
                CapturedFrame(
                    pixel: .mjpeg, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0),
                    sequence: Int64(index), memory: bytes, isOwned: true))
        }
        return result
    }
}
