import Testing

@testable import MulticamVision

@Suite("Numbers of faces")
struct FaceTracksTests {
    private func face(_ x: Double, _ y: Double = 100, size: Double = 80, score: Double = 1) -> (
        box: Box, score: Double
    ) {
        (Box(x: x, y: y, width: size, height: size), score)
    }

    @Test("a face that moves keeps its number")
    func moving() {
        var tracks = FaceTracks()
        for step in 0..<20 { _ = tracks.add([face(100 + Double(step) * 20)], at: Double(step) * 0.4) }
        #expect(tracks.visible(at: 7.6).map(\.id) == [1])
    }

    @Test("a face keeps its number after an occlusion of three seconds")
    func occlusion() {
        var tracks = FaceTracks()
        for step in 0..<5 { _ = tracks.add([face(100)], at: Double(step) * 0.4) }
        for step in 5..<12 { _ = tracks.add([], at: Double(step) * 0.4) }
        #expect(tracks.visible(at: 4.4).isEmpty)
        _ = tracks.add([face(130)], at: 4.6)
        #expect(tracks.visible(at: 4.6).map(\.id) == [1])
    }

    @Test("a face that appears after a long absence gets a new number")
    func absence() {
        var tracks = FaceTracks()
        for step in 0..<5 { _ = tracks.add([face(100)], at: Double(step) * 0.4) }
        _ = tracks.add([], at: 8)
        _ = tracks.add([face(100)], at: 9)
        #expect(tracks.visible(at: 9).map(\.id) == [2])
    }

    @Test("two faces that cross keep their numbers")
    func crossing() {
        var tracks = FaceTracks()
        for step in 0..<30 {
            let way = Double(step) * 12
            // The one behind is hidden while the faces overlap.
            let isHidden = abs((100 + way) - (440 - way)) < 70
            _ = tracks.add(
                isHidden ? [face(100 + way)] : [face(100 + way), face(440 - way)], at: Double(step) * 0.2)
            if isHidden {
                // The face in front keeps its number while it covers the other one.
                let front = tracks.visible(at: Double(step) * 0.2)
                #expect(front.map(\.id) == [1], "step \(step)")
            }
        }
        let found = tracks.visible(at: 29 * 0.2).sorted { $0.box.x < $1.box.x }
        #expect(found.map(\.id) == [2, 1])
    }

    @Test("a weak detection isn't a new face, but continues a known one")
    func weak() {
        var tracks = FaceTracks()
        _ = tracks.add([face(100, score: -0.2)], at: 0)
        #expect(tracks.tracks.isEmpty)
        _ = tracks.add([face(100)], at: 0.4)
        _ = tracks.add([face(110, score: -0.2)], at: 0.8)
        #expect(tracks.visible(at: 0.8).map(\.id) == [1])
    }

    @Test("one uncertain detection isn't reported")
    func single() {
        var tracks = FaceTracks()
        _ = tracks.add([face(100, score: 0.2)], at: 0)
        #expect(tracks.visible(at: 0).isEmpty)
        _ = tracks.add([face(100, score: 0.2)], at: 0.4)
        #expect(tracks.visible(at: 0.4).count == 1)
    }
}

@Suite("Schedule of the face detector")
struct DetectionScheduleTests {
    private func scales(
        smallest: Double?, moves: Bool, seconds: Double = 20
    ) -> [DetectionScale] {
        var schedule = DetectionSchedule()
        return (0..<Int(seconds * 5)).compactMap {
            schedule.scale(at: Double($0) / 5, smallest: smallest, detectable: 80, moves: moves)
        }
    }

    @Test("a picture without movement is searched every two seconds")
    func still() { #expect(scales(smallest: 120, moves: false).count <= 11) }

    @Test("a large face is searched in the halved image, and other faces from time to time")
    func large() {
        let used = scales(smallest: 220, moves: true)
        #expect(used.count { $0 == .half } > used.count / 2)
        #expect(used.contains(.whole))
        #expect(used.contains(.double))
    }

    @Test("an empty picture is searched at both scales")
    func empty() {
        let used = scales(smallest: nil, moves: true)
        #expect(used.contains(.whole))
        #expect(used.count { $0 == .double } >= 5)
        #expect(used.count { $0 == .double } <= 8)
    }
}
