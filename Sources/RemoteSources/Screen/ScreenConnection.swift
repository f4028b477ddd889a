internal import CMulticamMedia
internal import MulticamEncoding
internal import MulticamMedia

/// Captures a screen at the rate of its track, and sends it as JPEGs. Use this type only on the camera's thread.
///
/// If the screen hasn't changed, the previous JPEG is sent again, because it still shows the current content.
/// A static screen therefore causes no lost frames and needs no encoding.
final class ScreenConnection {
    private let screen: any Screen
    private let screenAddress: ScreenAddress
    private let address: SourceAddress
    private let cancellation: Cancellation
    private let clock = MonotonicClock()

    /// Maximum share of the frame interval that capturing and encoding may take.
    private static let maxLoad = 0.6
    /// Number of repetitions per measurement. The fastest repetition is the result.
    private static let measurementCount = 3
    /// Number of rates to try, each half of the previous rate.
    private static let rateSteps = 5
    /// Additional delay that is allowed for a busy computer.
    private static let delayMargin = Nanoseconds.milliseconds(150)

    /// Creates a connection to an opened screen.
    ///
    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The parsed address.
    ///   - screen: The opened screen.
    ///   - cancellation: Ends the connection.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ screen: any Screen, _ cancellation: Cancellation
    ) {
        (self.address, self.screenAddress, self.screen, self.cancellation) = (
            address, asked, screen, cancellation
        )
    }

    /// Delivers frames until the screen is gone.
    func run(into output: SourceOutput) throws(SourceError) {
        _ = try screen.capture(isForced: true)
        let (size, rate) = try format(output)
        let encoder = ScreenEncoder(size, address)
        let format = VideoFormat(pixel: .mjpeg, size: size, rate: rate)
        try output.announce(
            format, .jpeg, delay: format.rate.interval * 2 + Self.delayMargin, dated: .mapped)
        var jpeg = try encoder.encode(screen.pixels)
        var pace = ScreenPace(format.rate, from: clock.now)
        var missing = 0
        while true {
            if try screen.wait(until: pace.due, unless: cancellation) { return }
            let look = try screen.capture(isForced: false)
            if look.hasChanged { jpeg = try encoder.encode(screen.pixels) }
            try output.send(jpeg, at: look.time, within: look.error, missing: missing)
            missing = pace.advance(at: clock.now)
        }
    }

    /// Returns the size and rate of the frames: the announced values if there are any, otherwise the
    /// requested values. If this computer is too slow, a size that wasn't requested explicitly is reduced
    /// first, then the rate is halved. If just fetching the pixels takes too long, only the rate is reduced.
    private func format(_ output: SourceOutput) throws(SourceError) -> (FrameSize, FrameRate) {
        if let known = output.cameraFormat { return (known.size, known.rate) }
        let whole = ScreenFit.even(screen.pixels.size)
        let fetching = try minDuration { () throws(SourceError) in _ = try screen.capture(isForced: true) }
        var costs: [FrameSize: Nanoseconds] = [:]
        var (size, rate) = (screenAddress.size ?? whole, screenAddress.rate)
        for step in 0..<Self.rateSteps {
            rate = FrameRate(screenAddress.rate.frames, per: screenAddress.rate.seconds << step)
            let most = Nanoseconds.seconds(rounding: rate.interval.inSeconds * Self.maxLoad)
            guard fetching < most else { continue }
            for smaller in screenAddress.size.map({ [$0] }) ?? ScreenFit.sizes(of: whole) {
                size = smaller
                let encoder = ScreenEncoder(size, address)
                let cost: Nanoseconds
                if let known = costs[size] {
                    cost = known
                } else {
                    cost = try minDuration { () throws(SourceError) in _ = try encoder.encode(screen.pixels) }
                }
                costs[size] = cost
                guard fetching + cost > most else { return reportFormat(size, rate, of: whole, output) }
            }
        }
        return reportFormat(size, rate, of: whole, output)
    }

    /// Adds a remark for the user if the size or the rate was reduced.
    private func reportFormat(
        _ size: FrameSize, _ rate: FrameRate, of whole: FrameSize, _ output: SourceOutput
    ) -> (FrameSize, FrameRate) {
        if size != screenAddress.size ?? whole || rate != screenAddress.rate {
            output.remark =
                (output.remark.map { $0 + " " } ?? "")
                + "\(address) is recorded as \(size) at \(rate) fps, because this computer cannot capture and encode \(whole) at \(screenAddress.rate). "
                + "To choose the reduced values yourself, set a smaller `size` or a lower `rate` in the profile."
        }
        return (size, rate)
    }

    /// Measures the minimum duration of an operation.
    private func minDuration(of work: () throws(SourceError) -> Void) throws(SourceError) -> Nanoseconds {
        var least = Nanoseconds.seconds(60)
        for _ in 0..<Self.measurementCount {
            let began = clock.now
            try work()
            least = min(least, clock.now - began)
        }
        return least
    }
}

/// Schedule of a screen's frames. This is a value type; the caller passes the time.
struct ScreenPace {
    private let rate: FrameRate
    private let begin: ClockTime
    private var number: Int64 = 0

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - rate: Frames per second.
    ///   - begin: Time when the first frame is due.
    init(_ rate: FrameRate, from begin: ClockTime) { (self.rate, self.begin) = (rate, begin) }

    /// Due time of the current frame.
    var due: ClockTime { begin + Nanoseconds(rate.time(ofTick: number).nanoseconds) }

    /// Advances to the next frame. Frames that were due at least one interval ago are skipped, because past
    /// content can't be captured.
    ///
    /// - Returns: Number of skipped frames.
    mutating func advance(at now: ClockTime) -> Int {
        number += 1
        guard now - due >= rate.interval else { return 0 }
        let last = rate.ticks(before: MediaTime(nanoseconds: (now - begin).count + 1)) - 1
        let missing = max(last - number, 0)
        number += missing
        return Int(missing)
    }
}

/// Encodes a screen as JPEGs of one size. Use this type only on the camera's thread.
final class ScreenEncoder {
    /// Size of the JPEGs.
    let size: FrameSize
    private let address: SourceAddress
    private let encoder = JPEGEncoder(quality: ScreenEncoder.quality)
    /// The scaled screen; `nil` if the screen has the size of the frames.
    private var canvas: SharedBytes?
    /// Position of the screen on the canvas.
    private var place: PixelRectangle?

    /// JPEG quality on libjpeg's scale of 1…100. At this quality, text doesn't show artifacts.
    private static let quality = 95

    /// Creates an encoder for one size.
    ///
    /// - Parameters:
    ///   - size: Size of the JPEGs. Width and height must be even.
    ///   - address: The screen's address, used in messages.
    init(_ size: FrameSize, _ address: SourceAddress) { (self.size, self.address) = (size, address) }

    /// Encodes a JPEG.
    ///
    /// - Parameter pixels: Content of the screen.
    /// - Returns: A complete JPEG.
    /// - Throws: `SourceError.refused` if libjpeg-turbo fails.
    func encode(_ pixels: ScreenPixels) throws(SourceError) -> SharedBytes {
        do throws(EncodingError) {
            guard ScreenFit.even(pixels.size) != size else {
                canvas = nil
                return try encoder.encode(bgrx: pixels.start, stride: pixels.stride, size: size)
            }
            let canvas = scaled(pixels)
            return try encoder.encode(
                bgrx: canvas.start.assumingMemoryBound(to: UInt8.self), stride: size.width * 4, size: size)
        } catch {
            throw .refused("\(address): \(error)")
        }
    }

    private func scaled(_ pixels: ScreenPixels) -> SharedBytes {
        let target = ScreenFit.place(of: pixels.size, in: size)
        let canvas = canvas ?? SharedBytes(count: size.width * size.height * 4)
        if self.canvas == nil || place != target {
            canvas.start.initializeMemory(as: UInt8.self, repeating: 0, count: canvas.count)
        }
        (self.canvas, place) = (canvas, target)
        let start = canvas.start.assumingMemoryBound(to: UInt8.self)
        ARGBScale(
            pixels.start, Int32(pixels.stride), Int32(pixels.size.width), Int32(pixels.size.height),
            start + (target.y * size.width + target.x) * 4, Int32(size.width * 4), Int32(target.width),
            Int32(target.height), kFilterBox)
        return canvas
    }
}
