internal import CMedia
internal import Glibc
public import Media

/// Measures what each kind of work costs on this machine: does it on synthetic material of two sizes and fits a line
/// through both.
///
/// It counts the thread's processor time, which other processes disturb little, and takes the median of several runs.
/// Meanwhile other threads are busy half of the time, as while recording: processors that share a core, its caches or
/// the way to memory are slower then. It takes some seconds and blocks its thread.
public struct WorkMeasurement {
    /// Processor time of one piece of work in nanoseconds, and its number of units.
    private struct Sample {
        let nanoseconds: Double
        let units: Double
    }

    private static let name = "the measurement of costs"
    private static let small = FrameSize(width: 640, height: 360)
    private static let large = FrameSize(width: 1280, height: 720)
    private static let runs = 5
    private static let encodedFrames = 60

    /// Makes a measurement; nothing runs before `table`.
    public init() {}

    /// Measures all kinds of work except `deliver`, which only recordings show. Blocks the calling thread for some
    /// seconds.
    ///
    /// - Parameter progress: Called with the share that is done, 0…1.
    /// - Returns: The cost table of this machine.
    /// - Throws: When a codec is missing or refuses.
    public func table(progress: (Double) -> Void = { _ in }) throws(EncodingError) -> CostTable {
        try table(of: WorkKind.allCases.filter { $0 != .deliver }, progress: progress)
    }

    /// Measures the given kinds of work, for tests.
    func table(of all: [WorkKind], progress: (Double) -> Void = { _ in }) throws(EncodingError) -> CostTable {
        var table = CostTable(plain: [:], photographic: [:])
        let company = BusyCompany()
        defer { company.leave() }
        for (index, detail) in CostTable.Detail.allCases.enumerated() {
            let (small, large) = (
                MeasuringMaterial(detail, size: Self.small), MeasuringMaterial(detail, size: Self.large)
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
        _ kind: WorkKind, _ material: MeasuringMaterial, _ detail: CostTable.Detail
    ) throws(EncodingError) -> Sample {
        let pixels = Double(material.size.pixelCount)
        // Audio and bytes come in two sizes too.
        let scale = material.size == small ? 1 : 2
        switch kind {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8:
            return Sample(nanoseconds: try decodingJPEGs(material, kind), units: pixels)
        case .decodeH264: return Sample(nanoseconds: try decodingH264(material), units: pixels)
        case .unpack, .turn, .recolor, .scale: return try converting(kind, material)
        case .encodeUltrafast: return Sample(nanoseconds: try encoding(material, .ultrafast), units: pixels)
        case .encodeBalanced: return Sample(nanoseconds: try encoding(material, .balanced), units: pixels)
        case .encodeSuperfast: return Sample(nanoseconds: try encoding(material, .superfast), units: pixels)
        case .encodeVeryfast: return Sample(nanoseconds: try encoding(material, .veryfast), units: pixels)
        case .encodeAudio: return try encodingAudio(channels: scale, detail)
        case .resample: return try resampling(sampleCount: 960 * scale)
        case .store: return storing(byteCount: 50_000 * scale * scale)
        case .deliver: preconditionFailure("a waking shows in recordings alone")
        }
    }

    // MARK: Frames

    private static func decodingJPEGs(_ material: MeasuringMaterial, _ kind: WorkKind) throws(EncodingError)
        -> Double
    {
        let scale = JPEGScale.allCases.first { WorkKind($0) == kind } ?? .whole
        let frames = try material.jpegs()
        let decoder = JPEGDecoder()
        var scratch = ScratchPlanes()
        return usual(of: frames.count) {
            for frame in frames {
                guard let header = decoder.header(of: frame.memory) else { continue }
                _ = decoder.decode(
                    frame.memory, header, into: scratch.planes(scale.scaled(material.size), 1, 0))
            }
        }
    }

    private static func decodingH264(_ material: MeasuringMaterial) throws(EncodingError) -> Double {
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
        return try usualThrowing(of: units.count, runs: 1) { () throws(EncodingError) in
            for unit in units { _ = try decoder.decode(unit) }
        }
    }

    private static func converting(_ kind: WorkKind, _ material: MeasuringMaterial) throws(EncodingError)
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
            let time = usual(of: sources.count) {
                for _ in sources { _ = painter.paint(frame, whole, into: scratch.planes(size, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels)
        case .scale:
            let target = FrameSize(width: size.width * 3 / 4 & ~1, height: size.height * 3 / 4 & ~1)
            let time = usual(of: sources.count) {
                for source in sources { source.scale(into: scratch.planes(target, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels + Double(target.pixelCount))
        case .turn:
            let time = usual(of: sources.count) {
                for source in sources { source.turn(.quarter, into: scratch.planes(size.turned, 1, 1)) }
            }
            return Sample(nanoseconds: time, units: pixels)
        default:
            let map = ColorMap(from: .jpeg, to: .bt709Limited)
            let time = usual(of: sources.count) { for source in sources { map?.convert(source) } }
            return Sample(nanoseconds: time, units: pixels)
        }
    }

    /// Measures encoding on one thread: more threads cost no more processor time.
    private static func encoding(
        _ material: MeasuringMaterial, _ preset: VideoEncodingSettings.Preset
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
                rectangle: whole)
        }
        let encoder = try ComposedVideoEncoder(settings, name: name, threads: 1)
        return try usualThrowing(of: encodedFrames, runs: 1) { () throws(EncodingError) in
            for tick in 0..<encodedFrames {
                _ = try encoder.encode([layers[tick]], tick: Int64(tick))
            }
            _ = try encoder.finish()
        }
    }

    // MARK: Audio and bytes

    private static func encodingAudio(
        channels: Int, _ detail: CostTable.Detail
    ) throws(EncodingError) -> Sample {
        let encoder = try AACEncoder(channels: channels, bitrate: 96_000 * channels, name: name)
        let frames = 200
        let samples = detail == .plain ? beeps(frames, channels) : noise(1024 * channels * frames)
        let time = try usualThrowing(of: frames, runs: 1) { () throws(EncodingError) in
            _ = try encoder.encode(samples)
        }
        return Sample(nanoseconds: time, units: Double(1024 * channels))
    }

    private static func resampling(sampleCount: Int) throws(EncodingError) -> Sample {
        let resampler = try DriftResampler(from: AudioFormat(rate: 48_000, channels: 1), name: name)
        let samples = noise(sampleCount)
        let time = try usualThrowing(of: 100, runs: runs) { () throws(EncodingError) in
            for _ in 0..<100 {
                try resampler.correct(partsPerMillion: 50)
                _ = try resampler.convert(samples)
            }
        }
        return Sample(nanoseconds: time, units: Double(sampleCount))
    }

    /// Measures a copy in memory and a write to a growing memory file, whose pages the kernel allocates.
    private static func storing(byteCount: Int) -> Sample {
        let descriptor = media_memory_file()
        defer { if descriptor >= 0 { close(descriptor) } }
        let source = SharedBytes(repeatElement(7, count: byteCount))
        let pieces = 20
        let time = usual(of: pieces) {
            if descriptor >= 0 { ftruncate(descriptor, 0) }
            for index in 0..<pieces {
                let copy = SharedBytes(copying: source.bytes)
                if descriptor >= 0 { pwrite(descriptor, copy.start, copy.count, off_t(index * byteCount)) }
            }
        }
        return Sample(nanoseconds: time, units: Double(byteCount))
    }

    /// The audio of synthetic microphones: a beep of 40 ms at each second, and silence.
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

    // MARK: Time

    private static func usual(of pieces: Int, _ body: () -> Void) -> Double {
        let times = (0..<runs).map { _ in
            let begin = threadTime
            body()
            return threadTime - begin
        }
        return times.sorted()[runs / 2] / Double(max(pieces, 1))
    }

    private static func usualThrowing(
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
