internal import CMedia
internal import Glibc
public import Media

/// Tries a hardware encoder: whether it does what recordings need of it, and how much it can encode.
///
/// It encodes moving frames as detailed as a camera's, at each of three sizes, and libavcodec's own decoder reads them
/// back. Each frame must come once and in order, like the original, in colours that the stream names; a key frame must
/// come at the beginning, at least every 2 s, and where one is asked for, since a split needs it. Then the trial
/// measures how many pixels per second the encoder sustains, what processor time they cost, and how many streams it
/// takes at once.
///
/// Takes some seconds and blocks its thread. A driver that hangs is abandoned; one that crashes takes the process with
/// it.
public struct EncoderTrial {
    /// Frame sizes of the streams that are tried, in pixels. Recordings give the encoder nothing larger.
    public static let sizes = [
        FrameSize(width: 1280, height: 720), FrameSize(width: 1920, height: 1080),
        FrameSize(width: 1080, height: 1920),
    ]
    /// Least PSNR of each frame's luma in dB; less is seen at a glance. x264 comes to about 36 with such frames.
    static let leastPSNR = 30.0
    /// Most streams that are tried at once. NVENC in ordinary cards takes 3 to 8.
    static let mostStreams = 6
    private static let rate: FrameRate = FrameRate(30)
    /// Number of frames that are checked: long enough for a key frame that was not asked for, 2 s after the one that
    /// was.
    private static let checkedFrames = 75
    private static let askedKey = 10
    private static let timedFrames = 60

    private let encoder: HardwareEncoder
    private let sizes: [FrameSize]
    private let leastRate: FrameRate
    private let patience: Nanoseconds
    private let open: HardwareOpening

    /// Prepares the trial of an encoder; nothing runs before `run`.
    ///
    /// - Parameter encoder: An encoder that was found on this computer.
    public init(of encoder: HardwareEncoder) {
        self.init(of: encoder, open: LibraryCoder.opening(encoder))
    }

    /// Prepares the trial of a stand-in for hardware, for tests.
    init(
        of encoder: HardwareEncoder, sizes: [FrameSize] = Self.sizes, leastRate: FrameRate = FrameRate(30),
        patience: Nanoseconds = CoderThread.usualPatience, open: @escaping HardwareOpening
    ) {
        precondition(!sizes.isEmpty, "a trial has a size")
        self.encoder = encoder
        self.sizes = sizes
        // An encoder that does not keep up with a single camera is of no use.
        self.leastRate = leastRate
        self.patience = patience
        self.open = open
    }

    /// Runs the trial. Blocks the calling thread for some seconds.
    ///
    /// - Parameter progress: Called with the share that is done, 0…1.
    /// - Returns: The encoder with its figures when it works, or with the reason why it fails.
    public func run(progress: (Double) -> Void = { _ in }) -> TriedEncoder {
        var tried: [Checked] = []
        do throws(EncodingError) {
            for (index, size) in sizes.enumerated() {
                progress(Double(index) / Double(sizes.count + 1))
                do throws(EncodingError) {
                    tried.append(try check(size))
                } catch {
                    // An encoder that takes the first size and no other is still useful for that size.
                    if tried.isEmpty { throw error }
                }
            }
            progress(Double(sizes.count) / Double(sizes.count + 1))
            let figures = try figures(of: tried)
            progress(1)
            return TriedEncoder(encoder: encoder, outcome: .works(figures: figures))
        } catch {
            return TriedEncoder(encoder: encoder, outcome: .fails(reason: error.description))
        }
    }

    // MARK: What it makes

    /// Results of the trial at one size.
    fileprivate struct Checked {
        let size: FrameSize
        let lowestPSNR: Double
        let lacksColorTags: Bool
        let nanosecondsPerFrame: Double
        let processorNanoseconds: Double
    }

    private func check(_ size: FrameSize) throws(EncodingError) -> Checked {
        let material = MeasuringMaterial(.photographic, size: size)
        let stream = try makeStream(size)
        var packets: [EncodedPacket] = []
        for index in 0..<Self.checkedFrames {
            packets += try encode(material, index, with: stream, asKey: index == Self.askedKey)
        }
        packets += try stream.encode(nil, tick: 0, asKey: false)
        try checkKeys(packets)
        let lowest = try readBack(packets, stream.parameters, material)
        guard lowest >= Self.leastPSNR else {
            throw verdict(
                "its frames of \(size) come to \(Self.rounded(lowest)) dB where \(Self.rounded(Self.leastPSNR)) are needed"
            )
        }
        let (time, processor) = try timed(material)
        return Checked(
            size: size, lowestPSNR: lowest, lacksColorTags: stream.lacksColorTags,
            nanosecondsPerFrame: time, processorNanoseconds: processor)
    }

    private func makeStream(_ size: FrameSize) throws(EncodingError) -> HardwareStream {
        try HardwareStream(
            encoder.name, VideoEncodingSettings(size: size, rate: Self.rate), patience: patience, open: open
        )
    }

    private func encode(
        _ material: MeasuringMaterial, _ index: Int, with stream: HardwareStream, asKey: Bool = false
    ) throws(EncodingError) -> [EncodedPacket] {
        let memory = material.frame(at: index)
        let frame = try OwnedFrame(memory, material.size, encoder.name)
        return try withExtendedLifetime(memory) { () throws(EncodingError) in
            try stream.encode(frame.pointer, tick: Int64(index), asKey: asKey)
        }
    }

    private func checkKeys(_ packets: [EncodedPacket]) throws(EncodingError) {
        let keys = packets.indices.filter { packets[$0].isKey }
        guard keys.first == 0 else { throw verdict("its first frame is none that a file can begin with") }
        guard keys.contains(Self.askedKey) else {
            throw verdict("it makes no key frame when asked to, so that a recording could not be split")
        }
        let longest = zip(keys.dropFirst() + [packets.count], keys).map { $0 - $1 }.max() ?? 0
        guard Double(longest) <= 2 * Self.rate.perSecond else {
            throw verdict(
                "it was told to make a key frame every 2 s, and made none within \(longest) frames")
        }
    }

    /// Decodes the packets and checks their frames.
    ///
    /// - Returns: The lowest PSNR of a frame's luma, in dB.
    private func readBack(
        _ packets: [EncodedPacket], _ parameters: StreamParameters, _ material: MeasuringMaterial
    ) throws(EncodingError) -> Double {
        let reading = try StreamReading(setup: parameters.setup, subject: encoder.name)
        var lowest = Double.infinity
        var times: [Int64] = []
        var isWhole = true
        var isColored = true
        for packet in packets + [nil] {
            try reading.read(packet) { frame in
                times.append(frame.presentation)
                guard frame.size == material.size else { return isWhole = false }
                if frame.color != parameters.color { isColored = false }
                let wanted = material.frame(at: Int(frame.presentation))
                let source = Planes(i420: wanted, size: material.size)
                let (width, height) = (Int32(material.size.width), Int32(material.size.height))
                let squares = withExtendedLifetime(wanted) {
                    ComputeSumSquareErrorPlane(
                        source.y, Int32(source.yStride), frame.planes.y, Int32(frame.planes.yStride),
                        width, height)
                }
                lowest = min(lowest, SumSquareErrorToPsnr(squares, UInt64(material.size.pixelCount)))
            }
        }
        guard isWhole else { throw verdict("its frames have another size than \(material.size)") }
        guard times == Array(0..<Int64(Self.checkedFrames)) else {
            throw verdict("of \(Self.checkedFrames) frames, \(times.count) could be read back in order")
        }
        guard isColored else { throw verdict("its frames do not say what their colours mean") }
        return lowest
    }

    // MARK: How much it can

    /// Measures the time that a frame takes.
    ///
    /// - Returns: Nanoseconds per frame on the clock, and of the process's processor time.
    private func timed(_ material: MeasuringMaterial) throws(EncodingError) -> (
        time: Double, processor: Double
    ) {
        let stream = try makeStream(material.size)
        // The first frames fill the encoder's queues.
        for index in 0..<8 { _ = try encode(material, index, with: stream) }
        let begin = (Self.time(of: CLOCK_MONOTONIC), Self.time(of: CLOCK_PROCESS_CPUTIME_ID))
        for index in 8..<8 + Self.timedFrames { _ = try encode(material, index, with: stream) }
        _ = try stream.encode(nil, tick: 0, asKey: false)
        let count = Double(Self.timedFrames)
        return (
            (Self.time(of: CLOCK_MONOTONIC) - begin.0) / count,
            (Self.time(of: CLOCK_PROCESS_CPUTIME_ID) - begin.1) / count
        )
    }

    private func figures(of tried: [Checked]) throws(EncodingError) -> EncoderFigures {
        guard let first = tried.first, let slowest = tried.map(\.pixelsPerSecond).min(),
            let largest = tried.max(by: { $0.size.pixelCount < $1.size.pixelCount })
        else { preconditionFailure("figures are of what passed") }
        let needed = Double(first.size.pixelCount) * leastRate.perSecond
        guard slowest >= needed else {
            let rate = slowest / Double(first.size.pixelCount)
            throw verdict("it encodes no more than \(Self.rounded(rate)) frames of \(first.size) a second")
        }
        return EncoderFigures(
            sizes: tried.map(\.size), pixelsPerSecond: slowest, streams: streamsAtOnce(first.size),
            processor: Self.line(first, largest),
            lowestPSNR: tried.map(\.lowestPSNR).min() ?? 0,
            lacksColorTags: tried.contains(where: \.lacksColorTags))
    }

    /// Fits processor time by a line through two sizes, as for all kinds of work; with one size alone all of it grows
    /// with the pixels.
    private static func line(_ small: Checked, _ large: Checked) -> CostTable.Entry {
        let (a, b) = (Double(small.size.pixelCount), Double(large.size.pixelCount))
        guard b > a else {
            return CostTable.Entry(
                nanosecondsPerPiece: 0, nanosecondsPerUnit: small.processorNanoseconds / a)
        }
        let slope = max(0, (large.processorNanoseconds - small.processorNanoseconds) / (b - a))
        return CostTable.Entry(
            nanosecondsPerPiece: max(0, small.processorNanoseconds - slope * a), nanosecondsPerUnit: slope)
    }

    private func streamsAtOnce(_ size: FrameSize) -> Int {
        let material = MeasuringMaterial(.plain, size: size)
        var streams: [HardwareStream] = []
        var index = 0
        do throws(EncodingError) {
            while streams.count < Self.mostStreams {
                let another = try makeStream(size)
                // Every stream must go on beside the new one. A failure is reported with the next frame.
                for _ in 0..<3 {
                    for stream in streams + [another] { _ = try encode(material, index, with: stream) }
                    index += 1
                }
                streams.append(another)
            }
        } catch {
            // The device's limit is reached: the streams before it count.
        }
        return max(1, streams.count)
    }

    private func verdict(_ reason: String) -> EncodingError {
        EncodingError(subject: encoder.name, operation: "the trial", reason: reason)
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func time(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

extension EncoderTrial.Checked {
    fileprivate var pixelsPerSecond: Double { Double(size.pixelCount) * 1e9 / max(nanosecondsPerFrame, 1) }
}
