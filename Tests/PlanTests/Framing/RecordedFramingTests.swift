import MulticamMedia
import MulticamPlan
import Testing

@Suite("Automatic framing of a recording")
struct RecordedFramingTests {
    /// A person who walks to and fro with pauses of three seconds, at a speed in widths of the frame per second.
    private func walk(_ speed: Double) -> SimulatedWalk {
        let leg = 0.7 / speed + 3
        return SimulatedWalk(seconds: 60) { time in
            let (turn, rest) = (Int(time / leg), time.truncatingRemainder(dividingBy: leg))
            let way = min(rest * speed, 0.7)
            return [SimulatedWalk.Face(id: 1, x: 0.15 + (turn.isMultiple(of: 2) ? way : 0.7 - way))]
        }
    }

    /// The mean horizontal distance of the face from the center of the picture, in widths of the picture.
    private func distance(_ pictures: [SimulatedWalk.Picture]) -> Double {
        let distances = pictures.map { picture in
            let limit = picture.height / 2
            let wanted = min(max(picture.faces[0].x, limit), 1 - limit)
            return abs(wanted - picture.x) / picture.height
        }
        return distances.reduce(0, +) / Double(distances.count)
    }

    @Test(
        "a person who walks is in the picture all the time, and near its center or nearer than in a live program",
        arguments: [0.1, 0.2, 0.3, 0.4])
    func walking(widthsPerSecond speed: Double) {
        let scene = walk(speed)
        let (live, recorded) = (scene.run().pictures, scene.runRecorded().pictures)
        #expect(recorded.safeShare(after: 0) >= 0.995)
        #expect(recorded.peakJerk <= 80)
        #expect(distance(recorded) < max(distance(live), 0.05))
    }

    @Test("the person is in the picture from the first frame, and nothing moves while they are at rest")
    func beginning() {
        let (pictures, motions) = SimulatedWalk(seconds: 30) { _ in [SimulatedWalk.Face(id: 1, x: 0.3)] }
            .runRecorded()
        #expect(Set(pictures.map(\.crop)).count == 1)
        #expect(motions.count == 1)
        #expect(pictures.safeShare(after: 0) == 1)
    }

    @Test("a poster is ignored from the beginning")
    func poster() {
        let scene = SimulatedWalk(seconds: 30) { _ in
            [
                SimulatedWalk.Face(id: 1, x: 0.1, activity: 0), SimulatedWalk.Face(id: 2, x: 0.75),
            ]
        }
        let pictures = scene.runRecorded().pictures
        #expect(pictures.allSatisfy { $0.height < 0.7 && $0.isSafe($0.faces[1]) })
    }

    @Test("a face that was detected twice isn't framed")
    func falseDetection() {
        let scene = SimulatedWalk(seconds: 20) { time in
            let person = SimulatedWalk.Face(id: 1, x: 0.3)
            return (10...10.3).contains(time) ? [person, SimulatedWalk.Face(id: 2, x: 0.9)] : [person]
        }
        #expect(Set(scene.runRecorded().pictures.map(\.crop)).count == 1)
    }

    @Test("the mode `speaker` shows a new speaker within a second, before a live program does")
    func speaker() throws {
        var scene = SimulatedWalk(seconds: 24) { time in
            [
                SimulatedWalk.Face(id: 1, x: 0.25, activity: time < 10 ? 0.5 : 0.1),
                SimulatedWalk.Face(id: 2, x: 0.75, activity: time < 10 ? 0.1 : 0.5),
            ]
        }
        scene.mode = .speaker
        func change(_ pictures: [SimulatedWalk.Picture]) throws -> Double {
            try #require(pictures.first { $0.time > 5 && $0.isSafe($0.faces[1]) }).time
        }
        let recorded = scene.runRecorded().pictures
        let (early, late) = (try change(recorded), try change(scene.run().pictures))
        #expect(early < 11.5)
        #expect(early + 1 < late)
        #expect(recorded.filter { $0.time < 9 }.allSatisfy { $0.isSafe($0.faces[0]) })
    }
}
