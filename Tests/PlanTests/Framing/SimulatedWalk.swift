import MulticamMedia
import MulticamPlan

/// People in front of a simulated camera, and the pictures that automatic framing makes of them.
///
/// The camera delivers 1920 × 1080 pixels, and the program has 1280 × 720. Five frames per second are analyzed; an
/// analysis arrives 0.2 s after the capture. Boxes have an error of 2 % of the face's size, and one face in eight is missed.
struct SimulatedWalk {
    /// A face at a time: its center and height as fractions of the frame.
    struct Face {
        var id: Int
        var x: Double
        var y = 0.45
        var height = 0.12
        var activity = 0.3

        /// Width of the face as a fraction of the frame's width.
        var width: Double { height * 0.9 * 9 / 16 }

        var box: FramePart? {
            FramePart(x: x - width / 2, y: y - height / 2, width: width, height: height)
        }
    }

    /// What the program shows at a tick.
    struct Picture {
        var time: Double
        /// The visible part in pixels of the frame.
        var crop: PixelRectangle
        /// The visible part before it is rounded to pixels.
        var x: Double
        var y: Double
        var height: Double
        var faces: [Face]
    }

    static let frame = FrameSize(width: 1920, height: 1080)
    static let view = FramedView(
        ratio: 16.0 / 9, bounds: .whole, minHeight: 720 / 1.5 / 1080, frameRatio: 16.0 / 9)

    var seconds = 20.0
    var mode = FramingMode.people
    var view = Self.view
    /// The people in the frame at a time in seconds.
    var faces: (Double) -> [Face]

    /// Returns the picture at each tick, at 30 ticks per second, and the motions.
    func run() -> (pictures: [Picture], motions: [FramingMotion]) {
        var policy = FramingPolicy(mode: mode, view: view)
        var motions: [FramingMotion] = []
        for frame in analyses {
            let captured = ClockTime(nanoseconds: frame.at_ns)
            if let motion = policy.update(
                frame.faces, capturedAt: captured, now: captured + .milliseconds(200))
            {
                motions.append(motion)
            }
        }
        return (pictures(motions), motions)
    }

    /// Returns the same as `run` if the whole walk is known in advance.
    func runRecorded() -> (pictures: [Picture], motions: [FramingMotion]) {
        let framing = RecordedFraming(analyses)
        let begin = MediaTime(Self.clock(0), since: ClockTime(nanoseconds: 0))
        var policy = framing.policy(mode, view, from: begin)
        var motions = [policy.motion]
        framing.advance(&policy, from: begin, to: begin.advanced(by: .seconds(rounding: seconds))) {
            motions.append($0)
        }
        return (pictures(motions), motions)
    }

    private var analyses: [AnalyzedFrame] {
        var noise = Noise()
        return (0..<Int(seconds * 5)).map { index in
            let captured = Double(index) / 5
            var found: [DetectedFace] = []
            for face in faces(captured) where noise.next() > 0.125 {
                var seen = face
                seen.x += (noise.next() - 0.5) * 0.04 * face.width
                seen.y += (noise.next() - 0.5) * 0.04 * face.height
                guard let box = seen.box else { continue }
                found.append(DetectedFace(id: face.id, box: box, confidence: 0.9, activity: face.activity))
            }
            return AnalyzedFrame(at_ns: Self.clock(captured).nanoseconds, faces: found)
        }
    }

    private func pictures(_ motions: [FramingMotion]) -> [Picture] {
        (0..<Int(seconds * 30)).map { tick in
            let time = Double(tick) / 30
            let at = Self.clock(time).nanoseconds
            let motion = motions.last { $0.from_ns <= at } ?? .wide
            let share = motion.share(at: at)
            return Picture(
                time: time, crop: motion.crop(at: at, of: Self.frame, rotation: .none),
                x: motion.x.place(at: share), y: motion.y.place(at: share),
                height: motion.height.place(at: share), faces: faces(time))
        }
    }

    private static func clock(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: 1_000_000_000 + Int64(rounding: seconds * 1e9))
    }

    /// Reproducible numbers, 0…1.
    private struct Noise {
        private var state: UInt64 = 42

        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }
}

extension SimulatedWalk.Picture {
    /// Whether a face is completely visible, and its center within the middle 84 % of the picture.
    func isSafe(_ face: SimulatedWalk.Face) -> Bool {
        let (x, y) = (face.x * 1920 - Double(crop.x), face.y * 1080 - Double(crop.y))
        let (halfWidth, halfHeight) = (face.width * 960, face.height * 540)
        let (width, height) = (Double(crop.width), Double(crop.height))
        return x - halfWidth >= 0 && x + halfWidth <= width && y - halfHeight >= 0 && y + halfHeight <= height
            && (0.08 * width...0.92 * width).contains(x) && (0.08 * height...0.92 * height).contains(y)
    }
}

extension [SimulatedWalk.Picture] {
    /// Share of the pictures after a time in which all faces are safe.
    func safeShare(after time: Double = 3) -> Double {
        let counted = filter { $0.time >= time && !$0.faces.isEmpty }
        let safe = counted.filter { picture in picture.faces.allSatisfy(picture.isSafe) }
        return Double(safe.count) / Double(Swift.max(counted.count, 1))
    }

    /// Largest third difference of the center, in heights of the picture per second cubed.
    var peakJerk: Double {
        let places = map { ($0.x * 16 / 9, $0.y, $0.height) }
        var peak = 0.0
        for index in 3..<places.count {
            let (a, b, c, d) = (places[index - 3], places[index - 2], places[index - 1], places[index])
            let jerks = [
                d.0 - 3 * c.0 + 3 * b.0 - a.0, d.1 - 3 * c.1 + 3 * b.1 - a.1, d.2 - 3 * c.2 + 3 * b.2 - a.2,
            ]
            for jerk in jerks { peak = Swift.max(peak, abs(jerk) * 27000 / d.2) }
        }
        return peak
    }
}
