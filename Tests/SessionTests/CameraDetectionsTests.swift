import MulticamMedia
import MulticamSession
import Testing

@Suite("Faces and codes of a camera")
struct CameraDetectionsTests {
    private func time(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: Int64(rounding: seconds * 1e9))
    }

    private func face(_ id: Int, _ x: Double) throws -> DetectedFace {
        DetectedFace(
            id: id, box: try #require(FramePart(x: x, y: 0.2, width: 0.1, height: 0.2)), confidence: 0.9)
    }

    private func code(_ payload: String) throws -> FrameAnalysis {
        FrameAnalysis(codes: [
            DetectedCode(
                kind: .qr, payload: payload,
                box: try #require(FramePart(x: 0.1, y: 0.1, width: 0.1, height: 0.1)), confidence: 1)
        ])
    }

    @Test("a face appears once, and is lost after three seconds, at the time when it was last seen")
    func lifetime() throws {
        var detections = CameraDetections()
        let first = detections.add(FrameAnalysis(faces: [try face(7, 0.3)]), from: 1, capturedAt: time(1))
        #expect(first.analysis.faces.map(\.id) == [1])
        #expect(first.events == [.appeared(first.analysis.faces[0])])
        let second = detections.add(FrameAnalysis(faces: [try face(7, 0.32)]), from: 1, capturedAt: time(2))
        let third = detections.add(FrameAnalysis(), from: 1, capturedAt: time(4))
        #expect(second.events.isEmpty)
        #expect(third.events.isEmpty)
        let last = detections.add(FrameAnalysis(), from: 1, capturedAt: time(5.5))
        #expect(last.events == [.lost(id: 1, at: time(2))])
    }

    @Test("a face keeps its number when the process is replaced")
    func replacement() throws {
        var detections = CameraDetections()
        let faces = [try face(7, 0.3), try face(8, 0.6)]
        _ = detections.add(FrameAnalysis(faces: faces), from: 1, capturedAt: time(1))
        let next = detections.add(
            FrameAnalysis(faces: [try face(1, 0.61), try face(2, 0.31)]), from: 2, capturedAt: time(2))
        #expect(next.analysis.faces.map(\.id) == [2, 1])
        #expect(next.events.isEmpty)
    }

    @Test("a code is reported again only after it wasn't visible for ten seconds")
    func codes() throws {
        var detections = CameraDetections()
        var reported: [Double] = []
        for second in [0.0, 1, 5, 14, 16, 30] {
            let events = detections.add(try code("a"), from: 1, capturedAt: time(second)).events
            if !events.isEmpty { reported.append(second) }
        }
        #expect(reported == [0, 30])
    }

    @Test("a display that shows many codes causes at most 30 events per minute")
    func flood() throws {
        var detections = CameraDetections()
        var count = 0
        for index in 0..<500 {
            count +=
                detections.add(
                    try code("code \(index)"), from: 1, capturedAt: time(Double(index) / 10)
                ).events.count
        }
        #expect(count == 30)
    }

    @Test("an analysis is current for three seconds")
    func currency() throws {
        var detections = CameraDetections()
        _ = detections.add(FrameAnalysis(faces: [try face(1, 0.3)]), from: 1, capturedAt: time(1))
        #expect(detections.current(at: time(3.9))?.faces.count == 1)
        #expect(detections.current(at: time(4.1)) == nil)
    }

    @Test("an analysis with invalid values is refused, and payloads become printable")
    func validation() throws {
        var wrong = FrameAnalysis(faces: [try face(1, 0.3)])
        wrong.faces[0].confidence = .nan
        #expect(wrong.checked == nil)
        #expect(FrameAnalysis(faces: Array(repeating: try face(1, 0.3), count: 33)).checked == nil)
        var hostile = try code("a")
        hostile.codes[0].payload = "\u{1B}[2J"
        #expect(hostile.checked?.codes.first?.payload == "?[2J")
    }
}
