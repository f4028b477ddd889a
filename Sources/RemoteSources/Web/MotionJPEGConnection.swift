internal import Encoding
internal import Media

/// Takes the JPEGs of a web server's multipart stream, dates them, and sends them on. Belongs to the camera's thread.
final class MotionJPEGConnection {
    private let stream: WebStream
    private let address: SourceAddress
    private let cancellation: Cancellation
    private var reader: MultipartReader
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var rubbish = 0
    /// When the last frame came.
    private var lastFrame = MonotonicClock().now
    private var clock = StreamClock()

    /// Frames after which the rate is known, and how long they are waited for.
    private static let enough = 120
    private static let patience = Nanoseconds.seconds(2)
    /// Damaged parts in a row after which it is no camera.
    private static let mostRubbish = 100
    /// How long there may be no frame in what comes.
    private static let silence = Nanoseconds.seconds(5)
    private static let room = Nanoseconds.milliseconds(200)

    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        stream = try WebStream(address, cancellation)
        guard let boundary = MultipartReader.boundary(of: stream.contentType) else {
            throw .refused(
                "\(address) answers with \(stream.contentType.isEmpty ? "no content type" : stream.contentType): expected motion JPEG, multipart/x-mixed-replace. Look for another path of the camera."
            )
        }
        reader = MultipartReader(boundary: boundary)
    }

    /// Delivers until the connection ends.
    func run(into output: SourceOutput) throws(SourceError) {
        let (size, rate) = try settle(output)
        clock.way = rate.interval
        clock.decide()
        try output.announce(
            VideoFormat(pixel: .mjpeg, size: size, rate: rate), .jpeg,
            delay: clock.way + rate.interval + Self.room,
            dated: clock.origin ?? .arrival)
        while !cancellation.isCancelled {
            for part in try parts() {
                guard let markers = markers(of: part) else { continue }
                guard markers.size == size else {
                    throw .refused(
                        "\(address) sends frames of \(markers.size) now, and sent \(size) before: set it back."
                    )
                }
                let stamp = note(part)
                output.tell(clockSetBy: clock.takeSetting())
                try output.send(SharedBytes(part.bytes), at: clock.time(of: stamp), within: clock.error)
            }
            guard rubbish < Self.mostRubbish else { throw .refused("\(address) sends no JPEGs.") }
        }
    }

    /// Watches the stream until its size and rate are known.
    private func settle(_ output: SourceOutput) throws(SourceError) -> (size: FrameSize, rate: FrameRate) {
        var (arrivals, stamps) = ([ClockTime](), [Nanoseconds]())
        var size: FrameSize?
        let end = MonotonicClock().now + Self.patience
        while arrivals.count < Self.enough, MonotonicClock().now < end || arrivals.count < 2 {
            if cancellation.isCancelled { throw .lost("\(address) is no longer wanted.") }
            for part in try parts() {
                guard let markers = markers(of: part) else { continue }
                size = markers.size
                arrivals.append(part.arrival)
                let stamp = note(part)
                if part.wall != nil { stamps.append(stamp) }
            }
            guard rubbish < Self.mostRubbish else { throw .refused("\(address) sends no JPEGs.") }
        }
        guard let size, size.isPlausible else {
            throw .refused("\(address) sends frames of a size that no camera has.")
        }
        let rate =
            stamps.count >= 6
            ? RateEstimate.rate(ofStamps: stamps, guessed: nil) : RateEstimate.rate(ofArrivals: arrivals)
        return (size, output.rate(about: rate))
    }

    /// Has the clock take note of a frame.
    ///
    /// - Returns: Its time stamp: the camera's where it says one, else the arrival.
    private func note(_ part: MultipartReader.Part) -> Nanoseconds {
        guard let wall = part.wall else {
            let stamp = Nanoseconds(part.arrival.nanoseconds)
            clock.note(stamp, arrival: part.arrival)
            return stamp
        }
        clock.note(wall, arrival: part.arrival)
        clock.note(wall, captured: WallClock.monotonic(wall: wall), arrival: part.arrival)
        return wall
    }

    private func parts() throws(SourceError) -> [MultipartReader.Part] {
        guard MonotonicClock().now - lastFrame < Self.silence else {
            throw .refused("\(address) sends no JPEGs.")
        }
        let count = try stream.read(into: &buffer)
        do throws(MultipartReader.Fault) {
            return try reader.take(buffer[..<count], at: MonotonicClock().now)
        } catch {
            throw .refused(
                "\(address) sends \(error == .header ? "a header without an end" : "parts that are larger than any camera's")."
            )
        }
    }

    private func markers(of part: MultipartReader.Part) -> JPEGMarkers? {
        let markers = part.bytes.withUnsafeBytes { JPEGMarkers($0) }
        rubbish = markers == nil ? rubbish + 1 : 0
        if markers != nil { lastFrame = MonotonicClock().now }
        return markers
    }
}
