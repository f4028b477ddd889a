internal import MulticamEncoding
internal import MulticamMedia

/// Receives the JPEGs of a web server's multipart stream, determines their capture times, and sends them to the
/// session. Use this type only on the camera's thread.
final class MotionJPEGConnection {
    private let stream: WebStream
    private let address: SourceAddress
    private let cancellation: Cancellation
    private var reader: MultipartReader
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var invalidParts = 0
    /// Arrival time of the last frame.
    private var lastFrame = MonotonicClock().now
    private var clock = StreamClock()

    /// Number of frames that determine the rate, and the maximum time to wait for them.
    private static let maxMeasuredFrames = 120
    private static let measurementTime = Nanoseconds.seconds(2)
    /// Number of consecutive damaged parts after which the sender isn't considered a camera.
    private static let maxInvalidParts = 100
    /// Maximum time for which the incoming data may contain no frame.
    private static let frameTimeout = Nanoseconds.seconds(5)
    private static let delayMargin = Nanoseconds.milliseconds(200)

    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        stream = try WebStream(address, cancellation)
        guard MultipartReader.canRead(stream.contentType) else {
            throw Self.otherContent(stream.contentType, address)
        }
        reader = MultipartReader(boundary: MultipartReader.boundary(of: stream.contentType))
    }

    private static func otherContent(_ type: String, _ address: SourceAddress) -> SourceError {
        .refused(
            "\(address) sends \(type.isEmpty ? "no content type" : type) instead of motion JPEG (multipart/x-mixed-replace). Look up the path of the motion JPEG stream in the camera's manual."
        )
    }

    /// Delivers frames until the connection ends.
    func run(into output: SourceOutput) throws(SourceError) {
        let (size, color, rate) = try measureFormat(output)
        clock.transportDelay = rate.interval
        clock.chooseOrigin()
        try output.announce(
            VideoFormat(pixel: .mjpeg, size: size, rate: rate), color,
            delay: clock.transportDelay + rate.interval + Self.delayMargin,
            dated: clock.origin ?? .arrival)
        while !cancellation.isCancelled {
            for part in try parts() {
                guard let markers = markers(of: part) else { continue }
                guard markers.size == size else {
                    throw .changed(
                        "\(address) changed its frame size from \(size) to \(markers.size). Restore the previous size in the camera's settings."
                    )
                }
                let stamp = record(part)
                output.reportClockChange(clock.dequeueClockChange())
                try output.send(SharedBytes(part.bytes), at: clock.time(of: stamp), within: clock.error)
            }
            guard invalidParts < Self.maxInvalidParts else {
                throw .refused("\(address) does not send JPEG images.")
            }
        }
    }

    /// Observes the stream until its size and rate are known.
    private func measureFormat(
        _ output: SourceOutput
    ) throws(SourceError) -> (size: FrameSize, color: ColorDescription, rate: FrameRate) {
        var (arrivals, stamps) = ([ClockTime](), [Nanoseconds]())
        var size: FrameSize?
        var color = ColorDescription.jpeg
        let end = MonotonicClock().now + Self.measurementTime
        while arrivals.count < Self.maxMeasuredFrames, MonotonicClock().now < end || arrivals.count < 2 {
            if cancellation.isCancelled { throw .lost("\(address) is no longer used.") }
            for part in try parts() {
                guard let markers = markers(of: part) else { continue }
                (size, color) = (markers.size, markers.color)
                arrivals.append(part.arrival)
                let stamp = record(part)
                if part.wall != nil { stamps.append(stamp) }
            }
            guard invalidParts < Self.maxInvalidParts else {
                throw .refused("\(address) does not send JPEG images.")
            }
        }
        guard let size, size.isPlausible else {
            throw .refused("\(address) sent a frame of an unsupported size.")
        }
        let rate =
            stamps.count >= 6
            ? RateEstimate.rate(ofStamps: stamps, guessed: nil) : RateEstimate.rate(ofArrivals: arrivals)
        return (size, color, output.rate(measured: rate))
    }

    /// Passes the times of a frame to the stream clock.
    ///
    /// - Returns: The frame's timestamp: the camera's own timestamp if the camera sends one, otherwise the arrival
    ///   time.
    private func record(_ part: MultipartReader.Part) -> Nanoseconds {
        guard let wall = part.wall else {
            let stamp = Nanoseconds(part.arrival.nanoseconds)
            clock.record(stamp, arrival: part.arrival)
            return stamp
        }
        clock.record(wall, arrival: part.arrival)
        clock.record(wall, captured: WallClock.monotonic(wall: wall), arrival: part.arrival)
        return wall
    }

    private func parts() throws(SourceError) -> [MultipartReader.Part] {
        guard MonotonicClock().now - lastFrame < Self.frameTimeout else {
            throw .refused("\(address) does not send JPEG images.")
        }
        let count = try stream.read(into: &buffer)
        do throws(MultipartReader.Fault) {
            return try reader.parse(buffer[..<count], at: MonotonicClock().now)
        } catch {
            switch error {
            case .header: throw .refused("\(address) sent a header that exceeds the size limit.")
            case .size: throw .refused("\(address) sent a part that exceeds the size limit.")
            case .noDelimiter: throw Self.otherContent(stream.contentType, address)
            }
        }
    }

    private func markers(of part: MultipartReader.Part) -> JPEGMarkers? {
        let markers = part.bytes.withUnsafeBytes { JPEGMarkers($0) }
        invalidParts = markers == nil ? invalidParts + 1 : 0
        if markers != nil { lastFrame = MonotonicClock().now }
        return markers
    }
}
