package import MulticamMedia

/// The faces and codes that one camera shows, and the events that they cause.
///
/// A value without clocks. Analyses come from another process, which may be replaced at any time; the faces keep their
/// numbers, because each new face takes the number of the face that was last seen at its place.
package struct CameraDetections: Sendable {
    /// A change that is reported as an event.
    package enum Event: Sendable, Equatable {
        case appeared(DetectedFace)
        case lost(id: Int, at: ClockTime)
        case code(DetectedCode)
    }

    private struct Face {
        var face: DetectedFace
        var foreign: Int
        var source: Int
        var seen: ClockTime
    }

    private var faces: [Face] = []
    /// The codes that were read recently, with the time when they were last seen.
    private var codes: [(code: DetectedCode, seen: ClockTime)] = []
    /// Times of the code events of the last minute.
    private var codeEvents: [ClockTime] = []
    private var lastID = 0
    private var latest: (analysis: FrameAnalysis, at: ClockTime)?

    /// Time after which a face that isn't found counts as lost, and a code that is read again counts as new.
    package static let (faceTimeout, codeTimeout) = (Nanoseconds.seconds(3), Nanoseconds.seconds(10))
    /// Time for which an analysis is current.
    private static let currency = Nanoseconds.seconds(3)
    /// Largest number of code events per minute, because a display may show many codes one after another.
    private static let mostCodeEvents = 30
    /// Smallest overlap of a face with the one whose number it takes over from an ended process.
    private static let leastOverlap = 0.2

    /// Creates the detections of a camera that hasn't been analyzed.
    package init() {}

    /// Adds the analysis of a frame.
    ///
    /// - Parameters:
    ///   - analysis: The faces and codes, with the numbers of the process.
    ///   - source: Identifies the connection of the process, whose numbers are valid only for this connection.
    ///   - time: Capture time of the frame.
    /// - Returns: The analysis with the session's numbers of the faces, and the events.
    package mutating func add(
        _ analysis: FrameAnalysis, from source: Int, capturedAt time: ClockTime
    ) -> (analysis: FrameAnalysis, events: [Event]) {
        var events: [Event] = []
        var result = analysis
        for index in result.faces.indices {
            let foreign = result.faces[index].id
            if let known = knownIndex(of: result.faces[index], from: source, in: result.faces) {
                result.faces[index].id = faces[known].face.id
                faces[known] = Face(face: result.faces[index], foreign: foreign, source: source, seen: time)
            } else {
                lastID += 1
                result.faces[index].id = lastID
                faces.append(
                    Face(face: result.faces[index], foreign: foreign, source: source, seen: time))
                events.append(.appeared(result.faces[index]))
            }
        }
        for face in faces where time - face.seen > Self.faceTimeout {
            events.append(.lost(id: face.face.id, at: face.seen))
        }
        faces.removeAll { time - $0.seen > Self.faceTimeout }
        events += record(analysis.codes, at: time)
        latest = (result, time)
        return (result, events)
    }

    /// The last analysis, or `nil` if it isn't current.
    package func current(at time: ClockTime) -> FrameAnalysis? {
        latest.flatMap { time - $0.at <= Self.currency ? $0.analysis : nil }
    }

    private func knownIndex(of face: DetectedFace, from source: Int, in others: [DetectedFace]) -> Int? {
        if let known = faces.firstIndex(where: { $0.source == source && $0.foreign == face.id }) {
            return known
        }
        let candidates = faces.indices.filter { faces[$0].source != source }
        let best = candidates.max {
            faces[$0].face.box.overlap(with: face.box) < faces[$1].face.box.overlap(with: face.box)
        }
        return best.flatMap { faces[$0].face.box.overlap(with: face.box) >= Self.leastOverlap ? $0 : nil }
    }

    private mutating func record(_ found: [DetectedCode], at time: ClockTime) -> [Event] {
        var events: [Event] = []
        codes.removeAll { time - $0.seen > Self.codeTimeout }
        codeEvents.removeAll { time - $0 > Nanoseconds.seconds(60) }
        for code in found {
            if let index = codes.firstIndex(where: {
                $0.code.kind == code.kind && $0.code.payload == code.payload
            }) {
                codes[index].seen = time
                continue
            }
            guard codeEvents.count < Self.mostCodeEvents else { continue }
            codes.append((code, time))
            codeEvents.append(time)
            events.append(.code(code))
        }
        return events
    }
}

extension FramePart {
    /// The area that two parts share, divided by the area that they cover together.
    package func overlap(with other: FramePart) -> Double {
        let columns = min(x + width, other.x + other.width) - max(x, other.x)
        let rows = min(y + height, other.y + other.height) - max(y, other.y)
        guard columns > 0, rows > 0 else { return 0 }
        let shared = columns * rows
        return shared / (width * height + other.width * other.height - shared)
    }
}

/// Receives the analyses of a session's cameras.
package struct AnalysisListener: Sendable {
    /// Called with a camera's role, the analysis, and the capture time of the frame. Must not block.
    package let receive: @Sendable (String, FrameAnalysis, ClockTime) -> Void

    /// Creates a listener from a closure.
    package init(_ receive: @escaping @Sendable (String, FrameAnalysis, ClockTime) -> Void) {
        self.receive = receive
    }
}
