import MulticamMedia
import MulticamPlan
import Testing

@Suite("Automatic framing")
struct FramingPolicyTests {
    private func walk(_ x: @escaping (Double) -> Double) -> SimulatedWalk {
        SimulatedWalk(seconds: 60) { [SimulatedWalk.Face(id: 1, x: x($0))] }
    }

    @Test("a person at rest is framed once, and the picture stands still from then on")
    func rest() {
        let (pictures, motions) = SimulatedWalk(seconds: 30) { _ in [SimulatedWalk.Face(id: 1, x: 0.6)] }
            .run()
        #expect(motions.count == 1)
        #expect(pictures.safeShare() == 1)
        #expect(Set(pictures.filter { $0.time > 3 }.map(\.crop)).count == 1)
    }

    @Test(
        "the face of a person who walks and pauses stays within the safe area",
        arguments: [0.1, 0.2, 0.3, 0.4])
    func walking(widthsPerSecond speed: Double) {
        let leg = 0.7 / speed + 3
        let pictures = walk { time in
            let (turn, rest) = (Int(time / leg), time.truncatingRemainder(dividingBy: leg))
            let way = min(rest * speed, 0.7)
            return 0.15 + (turn.isMultiple(of: 2) ? way : 0.7 - way)
        }.run().pictures
        #expect(pictures.safeShare() >= 0.98)
        #expect(pictures.peakJerk <= 80)
    }

    @Test("the picture doesn't overshoot when a person sits down somewhere else")
    func overshoot() throws {
        let pictures = walk { $0 < 5 ? 0.3 : 0.62 }.run().pictures.filter { $0.time > 5 }
        let end = try #require(pictures.last)
        let height = end.height
        #expect(pictures.allSatisfy { $0.x <= end.x + 0.02 * height })
        let backward = zip(pictures, pictures.dropFirst()).map { max(0, $0.x - $1.x) }.reduce(0, +)
        #expect(backward <= 0.02 * height)
    }

    @Test("two people who cross stay in the picture, and the picture doesn't alternate between them")
    func crossing() {
        let scene = SimulatedWalk(seconds: 12) { time in
            [
                SimulatedWalk.Face(id: 1, x: 0.15 + 0.06 * time),
                SimulatedWalk.Face(id: 2, x: 0.85 - 0.06 * time),
            ]
        }
        let (pictures, motions) = scene.run()
        #expect(pictures.safeShare() >= 0.98)
        #expect(motions.count <= 12)
        let meeting = pictures.filter { abs($0.faces[0].x - $0.faces[1].x) < $0.faces[0].width }
        #expect(meeting.count > 10)
        #expect(meeting.allSatisfy { picture in picture.faces.allSatisfy(picture.isSafe) })
    }

    @Test("when one of two people leaves, the picture waits and then closes in once")
    func leaving() throws {
        let scene = SimulatedWalk(seconds: 20) { time in
            let stays = SimulatedWalk.Face(id: 1, x: 0.3)
            return time < 8 ? [stays, SimulatedWalk.Face(id: 2, x: 0.7)] : [stays]
        }
        let (pictures, motions) = scene.run()
        let both = try #require(pictures.last { $0.time < 8 })
        let after = pictures.first { $0.time > 8 && $0.crop != both.crop }
        #expect(try #require(after).time > 9.5)
        #expect(motions.count { $0.from_ns > 9_000_000_000 } <= 2)
        #expect(try #require(pictures.last).height < both.height)
    }

    @Test("when everyone has left, the picture holds for four seconds and then shows the whole frame")
    func empty() throws {
        let scene = SimulatedWalk(seconds: 20) { $0 < 8 ? [SimulatedWalk.Face(id: 1, x: 0.3)] : [] }
        let pictures = scene.run().pictures
        let last = try #require(pictures.last)
        #expect(last.crop == PixelRectangle(x: 0, y: 0, width: 1920, height: 1080))
        let held = pictures.filter { (8...11.5).contains($0.time) }
        #expect(Set(held.map(\.crop)).count == 1)
    }

    @Test("a poster is ignored after a while, and the picture shows the whole frame")
    func poster() throws {
        let scene = SimulatedWalk(seconds: 40) { _ in [SimulatedWalk.Face(id: 1, x: 0.2, activity: 0)] }
        let pictures = scene.run().pictures
        #expect(try #require(pictures.first { $0.time > 10 }).height < 0.7)
        #expect(abs(try #require(pictures.last).height - 1) < 0.0001)
    }

    @Test("a poster beside a person isn't framed forever")
    func posterBesidePerson() throws {
        let scene = SimulatedWalk(seconds: 40) { _ in
            [
                SimulatedWalk.Face(id: 1, x: 0.1, activity: 0), SimulatedWalk.Face(id: 2, x: 0.75),
            ]
        }
        let pictures = scene.run().pictures
        let last = try #require(pictures.last)
        #expect(try #require(pictures.first { $0.time > 10 }).height > 0.8)
        #expect(last.height < 0.7)
        #expect(last.isSafe(SimulatedWalk.Face(id: 2, x: 0.75)))
    }

    @Test("the mode `speaker` follows the person who becomes more active, and doesn't change back at once")
    func speaker() throws {
        var scene = SimulatedWalk(seconds: 24) { time in
            [
                SimulatedWalk.Face(id: 1, x: 0.25, activity: time < 10 ? 0.5 : 0.1),
                SimulatedWalk.Face(id: 2, x: 0.75, activity: time < 10 ? 0.1 : 0.5),
            ]
        }
        scene.mode = .speaker
        let pictures = scene.run().pictures
        let early = try #require(pictures.last { $0.time < 10 })
        let late = try #require(pictures.last)
        #expect(early.isSafe(early.faces[0]))
        #expect(late.isSafe(late.faces[1]))
        let changes = zip(pictures, pictures.dropFirst()).filter { ($0.x < 0.5) != ($1.x < 0.5) }
        #expect(changes.count <= 2)
    }

    @Test("the picture is never enlarged beyond the limit, and never leaves the bounds")
    func limits() {
        let scene = SimulatedWalk(seconds: 20) { time in
            [SimulatedWalk.Face(id: 1, x: 0.02 + 0.04 * time, y: 0.05, height: 0.04)]
        }
        let pictures = scene.run().pictures
        #expect(pictures.allSatisfy { $0.crop.height >= 480 })
        #expect(
            pictures.allSatisfy {
                $0.crop.x >= 0 && $0.crop.y >= 0 && $0.crop.x + $0.crop.width <= 1920
                    && $0.crop.y + $0.crop.height <= 1080
            })
    }

    @Test("after framing was off, the next motion begins with the whole frame that the program shows")
    func offAndOn() throws {
        let view = SimulatedWalk.view
        let face = DetectedFace(
            id: 1, box: try #require(FramePart(x: 0.2, y: 0.4, width: 0.06, height: 0.12)), confidence: 0.9,
            activity: 0.3)
        func clock(_ seconds: Int64) -> ClockTime { ClockTime(nanoseconds: seconds * 1_000_000_000) }
        var policy = FramingPolicy(mode: .people, view: view)
        let begun = policy.update([face], capturedAt: clock(1), now: clock(1))
        let first = try #require(begun)
        policy.adapt(to: .people, view, showing: first)
        let still = policy.update([face], capturedAt: clock(10), now: clock(10))
        #expect(still == nil, "the picture is already there")
        policy.adapt(to: .people, view, showing: nil)
        let resumed = policy.update([face], capturedAt: clock(11), now: clock(11))
        let again = try #require(resumed)
        #expect(again.x.place(at: 0) == 0.5 && again.height.place(at: 0) == 1)
        #expect(abs(again.x.place(at: 1) - first.x.place(at: 1)) < 0.01)
    }
}

@Suite("Motions of automatic framing")
struct FramingMotionTests {
    private let frame = FrameSize(width: 1920, height: 1080)
    private let half = FramingMotion(
        from: 0, duration: .seconds(1),
        x: .init(from: .init(place: 0.25), to: 0.75, seconds: 1), y: .init(constant: 0.5),
        height: .init(constant: 0.5), ratio: 16.0 / 9, bounds: .whole)

    @Test("begins and ends at rest at its places")
    func ends() {
        #expect(half.crop(at: -5, of: frame, rotation: .none).x == 0)
        #expect(half.crop(at: 2_000_000_000, of: frame, rotation: .none).x == 960)
        let end = half.x.state(at: 1, seconds: 1)
        #expect(abs(end.velocity) < 1e-9)
        #expect(abs(end.acceleration) < 1e-9)
    }

    @Test("keeps its size in pixels while only the center moves")
    func size() {
        let sizes = (0...100).map { half.crop(at: Int64($0) * 10_000_000, of: frame, rotation: .none).size }
        #expect(Set(sizes) == [FrameSize(width: 960, height: 540)])
    }

    @Test(
        "shows the same part of the scene for every rotation of the stored frame",
        arguments: [Rotation.none, .quarter, .half, .threeQuarters])
    func rotations(rotation: Rotation) {
        let stored = rotation.swapsSides ? frame.transposed : frame
        let crop = half.crop(at: 500_000_000, of: stored, rotation: rotation)
        #expect(
            crop.upright(in: stored, rotation: rotation)
                == half.crop(at: 500_000_000, of: frame, rotation: .none))
    }

    @Test("has the same velocity and acceleration before and after it is replaced")
    func continuity() {
        let state = half.x.state(at: 0.4, seconds: 1)
        let next = FramingMotion.Curve(from: state, to: 0.3, seconds: 0.8).state(at: 0, seconds: 0.8)
        #expect(abs(next.place - state.place) < 1e-12)
        #expect(abs(next.velocity - state.velocity) < 1e-9)
        #expect(abs(next.acceleration - state.acceleration) < 1e-9)
    }
}
