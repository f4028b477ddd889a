internal import CMulticamMedia
internal import Glibc
package import MulticamMedia

/// Tests whether a hardware encoder is suitable for recordings, and measures its capacity.
///
/// The trial encodes moving frames with as much detail as a camera's, at three sizes, and decodes them with
/// libavcodec's software decoder. The encoder must return each frame once and in order, and each decoded
/// frame must match the original and the color description in the stream. Key frames must appear at the
/// beginning, at least every 2 s, and on request, because splitting a file requires them. The trial then
/// measures how many pixels per second the encoder sustains, the CPU time that this requires, and the number
/// of simultaneous streams.
///
/// The trial takes several seconds and blocks the calling thread. If the driver hangs, the encoder is
/// abandoned. If the driver crashes, so does the process.
package struct EncoderTrial {
    /// Frame sizes of the tested streams, in pixels. Recordings never send larger frames to the encoder.
    package static let sizes = [
        FrameSize(width: 1280, height: 720), FrameSize(width: 1920, height: 1080),
        FrameSize(width: 1080, height: 1920),
    ]
    /// Minimum luma PSNR of each frame in dB. Below this value, errors are clearly visible. x264 reaches
    /// about 36 dB with the test frames.
    static let minPSNR = 30.0
    /// Maximum number of simultaneous streams that are tested. NVENC supports 3 to 8 simultaneous streams on
    /// consumer graphics cards.
    static let maxStreams = 6
    private static let rate: FrameRate = FrameRate(30)
    /// Number of frames that are checked. The checked frames include the regular key frame that follows 2 s
    /// after the requested one.
    private static let checkedFrames = 75
    private static let requestedKeyFrame = 10
    private static let timedFrames = 60

    private let encoder: HardwareEncoder
    private let sizes: [FrameSize]
    private let minRate: FrameRate
    private let frameTimeout: Nanoseconds
    private let open: HardwareCoderFactory

    /// Creates a trial for an encoder. Call `run` to start the trial.
    ///
    /// - Parameter encoder: An encoder found on this computer.
    package init(of encoder: HardwareEncoder) {
        self.init(of: encoder, open: LibraryCoder.makeFactory(for: encoder))
    }

    /// Creates a trial for a substitute encoder, for tests.
    init(
        of encoder: HardwareEncoder, sizes: [FrameSize] = Self.sizes, minRate: FrameRate = FrameRate(30),
        frameTimeout: Nanoseconds = CoderThread.defaultFrameTimeout, open: @escaping HardwareCoderFactory
    ) {
        precondition(!sizes.isEmpty, "an encoder test requires at least one frame size")
        self.encoder = encoder
        self.sizes = sizes
        // An encoder that can't keep up with a single camera is useless.
        self.minRate = minRate
        self.frameTimeout = frameTimeout
        self.open = open
    }

    /// Runs the trial. Blocks the calling thread for several seconds.
    ///
    /// - Parameter progress: Called with the completed fraction, 0…1.
    /// - Returns: The encoder with its measurements, or with the reason for the failure if the encoder
    ///   doesn't work.
    package func run(progress: (Double) -> Void = { _ in }) -> TriedEncoder {
        var tried: [SizeResult] = []
        do throws(EncodingError) {
            for (index, size) in sizes.enumerated() {
                progress(Double(index) / Double(sizes.count + 1))
                do throws(EncodingError) {
                    tried.append(try check(size))
                } catch {
                    // An encoder that supports only the first frame size is still useful for that size.
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

    // MARK: Output checks

    /// Results of the trial at one size.
    fileprivate struct SizeResult {
        let size: FrameSize
        let lowestPSNR: Double
        let lacksColorTags: Bool
        let nanosecondsPerFrame: Double
        let processorNanoseconds: Double
    }

    private func check(_ size: FrameSize) throws(EncodingError) -> SizeResult {
        let material = BenchmarkFrames(.photographic, size: size)
        let stream = try makeStream(size)
        var packets: [EncodedPacket] = []
        for index in 0..<Self.checkedFrames {
            packets += try encode(material, index, with: stream, asKey: index == Self.requestedKeyFrame)
        }
        packets += try stream.flush()
        try checkKeys(packets)
        let lowest = try readBack(packets, stream.parameters, material)
        guard lowest >= Self.minPSNR else {
            throw testError(
                "the encoded frames of size \(size) reach a PSNR of \(Self.rounded(lowest)) dB; at least \(Self.rounded(Self.minPSNR)) dB is required"
            )
        }
        let (time, processor) = try measureTime(material)
        return SizeResult(
            size: size, lowestPSNR: lowest, lacksColorTags: stream.lacksColorTags,
            nanosecondsPerFrame: time, processorNanoseconds: processor)
    }

    private func makeStream(_ size: FrameSize) throws(EncodingError) -> HardwareStream {
        try HardwareStream(
            encoder.name, VideoEncodingSettings(size: size, rate: Self.rate), frameTimeout: frameTimeout,
            open: open
        )
    }

    private func encode(
        _ material: BenchmarkFrames, _ index: Int, with stream: HardwareStream, asKey: Bool = false
    ) throws(EncodingError) -> [EncodedPacket] {
        let memory = material.frame(at: index)
        let frame = try OwnedFrame(memory, material.size, encoder.name)
        return try withExtendedLifetime(memory) { () throws(EncodingError) in
            try stream.encode(frame.pointer, tick: Int64(index), asKey: asKey)
        }
    }

    private func checkKeys(_ packets: [EncodedPacket]) throws(EncodingError) {
        let keys = packets.indices.filter { packets[$0].isKey }
        guard keys.first == 0 else { throw testError("the first encoded frame is not a key frame") }
        guard keys.contains(Self.requestedKeyFrame) else {
            throw testError(
                "the encoder does not produce key frames on request, so recordings could not be split")
        }
        let longest = zip(keys.dropFirst() + [packets.count], keys).map { $0 - $1 }.max() ?? 0
        guard Double(longest) <= 2 * Self.rate.perSecond else {
            throw testError(
                "the encoder was set to a key frame every 2 s, but produced none within \(longest) frames")
        }
    }

    /// Decodes the packets and checks the decoded frames.
    ///
    /// - Returns: The lowest luma PSNR of all frames, in dB.
    private func readBack(
        _ packets: [EncodedPacket], _ parameters: StreamParameters, _ material: BenchmarkFrames
    ) throws(EncodingError) -> Double {
        let reading = try EncodedStreamDecoder(setup: parameters.setup, subject: encoder.name)
        var lowest = Double.infinity
        var times: [Int64] = []
        var isWhole = true
        var isColored = true
        for packet in packets + [nil] {
            try reading.decode(packet) { frame in
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
        guard isWhole else { throw testError("the encoded frames do not have the size \(material.size)") }
        guard times == Array(0..<Int64(Self.checkedFrames)) else {
            throw testError("only \(times.count) of \(Self.checkedFrames) frames could be read back in order")
        }
        guard isColored else { throw testError("the encoded frames do not have color metadata") }
        return lowest
    }

    // MARK: Throughput

    /// Measures the encoding time per frame.
    ///
    /// - Returns: The elapsed time and the CPU time of the process, both in nanoseconds per frame.
    private func measureTime(_ material: BenchmarkFrames) throws(EncodingError) -> (
        time: Double, processor: Double
    ) {
        let stream = try makeStream(material.size)
        // The first frames fill the queues of the encoder.
        for index in 0..<8 { _ = try encode(material, index, with: stream) }
        let begin = (Self.time(of: CLOCK_MONOTONIC), Self.time(of: CLOCK_PROCESS_CPUTIME_ID))
        for index in 8..<8 + Self.timedFrames { _ = try encode(material, index, with: stream) }
        _ = try stream.flush()
        let count = Double(Self.timedFrames)
        return (
            (Self.time(of: CLOCK_MONOTONIC) - begin.0) / count,
            (Self.time(of: CLOCK_PROCESS_CPUTIME_ID) - begin.1) / count
        )
    }

    private func figures(of tried: [SizeResult]) throws(EncodingError) -> EncoderFigures {
        guard let first = tried.first, let slowest = tried.map(\.pixelsPerSecond).min(),
            let largest = tried.max(by: { $0.size.pixelCount < $1.size.pixelCount })
        else { preconditionFailure("at least one frame size must have been tested") }
        let needed = Double(first.size.pixelCount) * minRate.perSecond
        guard slowest >= needed else {
            let rate = slowest / Double(first.size.pixelCount)
            throw testError(
                "the encoder processes at most \(Self.rounded(rate)) frames of \(first.size) per second")
        }
        return EncoderFigures(
            sizes: tried.map(\.size), pixelsPerSecond: slowest, streams: measureMaxStreams(first.size),
            processor: Self.line(first, largest),
            lowestPSNR: tried.map(\.lowestPSNR).min() ?? 0,
            lacksColorTags: tried.contains(where: \.lacksColorTags))
    }

    /// Fits a line through the CPU times measured at two frame sizes. If only one size was measured, the time
    /// is assumed to be proportional to the number of pixels.
    private static func line(_ small: SizeResult, _ large: SizeResult) -> CostTable.Entry {
        let (a, b) = (Double(small.size.pixelCount), Double(large.size.pixelCount))
        guard b > a else {
            return CostTable.Entry(
                nanosecondsPerPiece: 0, nanosecondsPerUnit: small.processorNanoseconds / a)
        }
        let slope = max(0, (large.processorNanoseconds - small.processorNanoseconds) / (b - a))
        return CostTable.Entry(
            nanosecondsPerPiece: max(0, small.processorNanoseconds - slope * a), nanosecondsPerUnit: slope)
    }

    private func measureMaxStreams(_ size: FrameSize) -> Int {
        let material = BenchmarkFrames(.plain, size: size)
        var streams: [HardwareStream] = []
        var index = 0
        do throws(EncodingError) {
            while streams.count < Self.maxStreams {
                let another = try makeStream(size)
                // All streams must keep working while the new one is running. The failure of a stream is
                // reported with its next frame.
                for _ in 0..<3 {
                    for stream in streams + [another] { _ = try encode(material, index, with: stream) }
                    index += 1
                }
                streams.append(another)
            }
        } catch {
            // The device's limit is reached. Only the streams opened before this one are counted.
        }
        return max(1, streams.count)
    }

    private func testError(_ reason: String) -> EncodingError {
        EncodingError(subject: encoder.name, operation: "testing", reason: reason)
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func time(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

extension EncoderTrial.SizeResult {
    fileprivate var pixelsPerSecond: Double { Double(size.pixelCount) * 1e9 / max(nanosecondsPerFrame, 1) }
}
