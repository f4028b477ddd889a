import MulticamMedia
import MulticamSession
import Testing

extension CameraDetections {
    /// Adds an analysis that arrives at once, from the only request of a connection.
    fileprivate mutating func add(
        _ analysis: FrameAnalysis, from connection: Int, capturedAt time: ClockTime
    ) -> (analysis: FrameAnalysis, events: [Event]) {
        add(analysis, from: Source(connection: connection, id: 1), capturedAt: time, arrivedAt: time)
    }
}

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

    @Test("a face that returns with the same number after a long gap is a new face")
    func gap() throws {
        var detections = CameraDetections()
        _ = detections.add(FrameAnalysis(faces: [try face(7, 0.3)]), from: 1, capturedAt: time(1))
        let next = detections.add(FrameAnalysis(faces: [try face(7, 0.3)]), from: 1, capturedAt: time(9))
        #expect(next.events == [.lost(id: 1, at: time(1)), .appeared(next.analysis.faces[0])])
        #expect(next.analysis.faces.map(\.id) == [2])
    }

    @Test("a face is lost when analyses no longer arrive")
    func silence() throws {
        var detections = CameraDetections()
        _ = detections.add(FrameAnalysis(faces: [try face(7, 0.3)]), from: 1, capturedAt: time(1))
        #expect(detections.expire(at: time(3.9)).isEmpty)
        #expect(detections.expire(at: time(4.1)) == [.lost(id: 1, at: time(1))])
        #expect(detections.expire(at: time(8)).isEmpty)
    }

    @Test("the numbers of a new request of the same process aren't those of its earlier request")
    func request() throws {
        var detections = CameraDetections()
        func add(_ face: DetectedFace, _ id: Int, _ seconds: Double) -> [Int] {
            detections.add(
                FrameAnalysis(faces: [face]), from: CameraDetections.Source(connection: 1, id: id),
                capturedAt: time(seconds), arrivedAt: time(seconds)
            ).analysis.faces.map(\.id)
        }
        #expect(add(try face(1, 0.1), 1, 1) == [1])
        #expect(add(try face(1, 0.8), 2, 2) == [2], "another person has the first number of the new request")
        #expect(add(try face(2, 0.1), 2, 2.2) == [1], "the same person keeps the session's number")
    }

    @Test("faces expire by their arrival, whatever capture times a process sends")
    func arrival() throws {
        var detections = CameraDetections()
        let source = CameraDetections.Source(connection: 1, id: 1)
        for step in 0..<20 {
            let faces = [try face(step, 0.3)]
            _ = detections.add(
                FrameAnalysis(faces: faces), from: source, capturedAt: time(0), arrivedAt: time(Double(step)))
        }
        let lost = detections.expire(at: time(100))
        #expect(lost.count == 4, "only the faces of the last three seconds were left")
    }

    @Test(
        "a process that sends new numbers with each message causes at most 60 events of new faces per minute")
    func faceFlood() throws {
        var detections = CameraDetections()
        var (appeared, lost, most) = (Set<Int>(), Set<Int>(), 0)
        for index in 0..<250 {
            let faces = try (0..<16).map { try face(index * 16 + $0, 0.3) }
            let at = time(Double(index) / 5)
            let next = detections.add(FrameAnalysis(faces: faces), from: 1, capturedAt: at)
            most = max(most, next.analysis.faces.count)
            for event in next.events {
                switch event {
                case .appeared(let face): appeared.insert(face.id)
                case .lost(let id, _): lost.insert(id)
                case .code: Issue.record("there are no codes")
                }
            }
        }
        #expect(appeared.count == 60)
        #expect(most == 16 && !lost.isEmpty)
        #expect(lost.isSubset(of: appeared), "a face whose appearance wasn't reported isn't reported as lost")
    }

    @Test("at most 64 faces are known")
    func faceLimit() throws {
        var detections = CameraDetections()
        var known = 0
        for index in 0..<5 {
            let faces = try (0..<32).map { try face(index * 32 + $0, 0.3) }
            known +=
                detections.add(FrameAnalysis(faces: faces), from: 1, capturedAt: time(1)).analysis.faces.count
        }
        #expect(known == CameraDetections.mostFaces)
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
