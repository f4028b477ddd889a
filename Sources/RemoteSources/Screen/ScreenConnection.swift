internal import Media

/// Looks at a screen at the rate of its track, and sends what it shows as JPEGs. Belongs to the camera's thread.
///
/// A screen that has not changed is sent again as it was: it was looked at, and looked so. So nothing counts as lost while a screen
/// stands still, and no JPEG is made then.
final class ScreenConnection {
    private let screen: any Screen
    private let asked: ScreenAddress
    private let address: SourceAddress
    private let cancellation: Cancellation
    private let clock = MonotonicClock()

    /// Share of the time between two frames that a frame may take.
    private static let mostBusy = 0.6
    /// How often something is measured, of which the fastest time is believed.
    private static let trials = 3
    /// Rates that are tried, each half of the one before.
    private static let rateSteps = 5
    /// Room for a busy computer.
    private static let room = Nanoseconds.milliseconds(150)

    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The same, read.
    ///   - screen: What it names.
    ///   - cancellation: Ends it.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ screen: any Screen, _ cancellation: Cancellation
    ) {
        (self.address, self.asked, self.screen, self.cancellation) = (address, asked, screen, cancellation)
    }

    /// Delivers until the screen has gone.
    func run(into output: SourceOutput) throws(SourceError) {
        _ = try screen.look(isForced: true)
        let (size, rate) = try format(output)
        let encoder = ScreenEncoder(size, address)
        let format = VideoFormat(pixel: .mjpeg, size: size, rate: rate)
        try output.announce(
            format, .jpeg, delay: format.rate.interval * 2 + Self.room, dated: .mapped)
        var jpeg = try encoder.encode(screen.pixels)
        var pace = ScreenPace(format.rate, from: clock.now)
        var missing = 0
        while true {
            if try screen.wait(until: pace.due, unless: cancellation) { return }
            let look = try screen.look(isForced: false)
            if look.hasChanged { jpeg = try encoder.encode(screen.pixels) }
            try output.send(jpeg, at: look.time, within: look.error, missing: missing)
            missing = pace.advance(at: clock.now)
        }
    }

    /// The size and rate of the frames: those of before, else those that were asked for. Where this computer cannot do that, a size that nobody
    /// asked for is made smaller first, and then the rate halved; the rate at once where fetching alone takes too long.
    private func format(_ output: SourceOutput) throws(SourceError) -> (FrameSize, FrameRate) {
        if let known = output.cameraFormat { return (known.size, known.rate) }
        let whole = ScreenFit.even(screen.pixels.size)
        let fetching = try fastest { () throws(SourceError) in _ = try screen.look(isForced: true) }
        var costs: [FrameSize: Nanoseconds] = [:]
        var (size, rate) = (asked.size ?? whole, asked.rate)
        for step in 0..<Self.rateSteps {
            rate = FrameRate(asked.rate.frames, per: asked.rate.seconds << step)
            let most = Nanoseconds.seconds(rounding: rate.interval.inSeconds * Self.mostBusy)
            guard fetching < most else { continue }
            for smaller in asked.size.map({ [$0] }) ?? ScreenFit.sizes(of: whole) {
                size = smaller
                let encoder = ScreenEncoder(size, address)
                let cost: Nanoseconds
                if let known = costs[size] {
                    cost = known
                } else {
                    cost = try fastest { () throws(SourceError) in _ = try encoder.encode(screen.pixels) }
                }
                costs[size] = cost
                guard fetching + cost > most else { return told(size, rate, of: whole, output) }
            }
        }
        return told(size, rate, of: whole, output)
    }

    /// Says to a person what was given up.
    private func told(
        _ size: FrameSize, _ rate: FrameRate, of whole: FrameSize, _ output: SourceOutput
    ) -> (FrameSize, FrameRate) {
        if size != asked.size ?? whole || rate != asked.rate {
            output.remark =
                (output.remark.map { $0 + " " } ?? "")
                + "\(address) is recorded as \(size) at \(rate) frames a second: this computer cannot fetch and encode \(whole) at \(asked.rate). "
                + "A smaller `size` or a lower `rate` in the profile decides otherwise."
        }
        return (size, rate)
    }

    /// How long something takes at least.
    private func fastest(_ work: () throws(SourceError) -> Void) throws(SourceError) -> Nanoseconds {
        var least = Nanoseconds.seconds(60)
        for _ in 0..<Self.trials {
            let began = clock.now
            try work()
            least = min(least, clock.now - began)
        }
        return least
    }
}
