package import MulticamMedia

/// The faces and codes that one camera shows, and the events that they cause.
///
/// A value without clocks. Analyses come from another process, which may be replaced at any time; the faces keep their
/// numbers, because each new face takes the number of the face that was last seen at its position.
package struct CameraDetections: Sendable {
    /// A change that is reported as an event.
    package enum Event: Sendable, Equatable {
        case appeared(DetectedFace)
        case lost(id: Int, at: ClockTime)
        case code(DetectedCode)
    }

    /// Where analyses come from. The numbers of faces are valid only for one source.
    package struct Source: Sendable, Hashable {
        /// Identifies the connection of the process.
        package let connection: Int
        /// The process's ID of the messages, which differs for each request.
        package let id: Int

        /// Creates a source. Each parameter sets the property of the same name.
        package init(connection: Int, id: Int) { (self.connection, self.id) = (connection, id) }
    }

    private struct Face {
        var face: DetectedFace
        var foreign: Int
        var source: Source
        /// Capture time of the last frame that showed the face, and the time when its analysis arrived.
        var seen: ClockTime
        var arrived: ClockTime
        /// Whether the appearance of the face was reported as an event.
        var isReported: Bool
    }

    private var faces: [Face] = []
    /// The codes that were read recently, with the time when they were last seen.
    private var codes: [(code: DetectedCode, seen: ClockTime)] = []
    /// Times of the code events, and of the events of new faces, of the last minute.
    private var codeEvents: [ClockTime] = []
    private var faceEvents: [ClockTime] = []
    private var lastID = 0
    private var latest: (analysis: FrameAnalysis, at: ClockTime)?

    /// Time after which a face that isn't found counts as lost, and a code that is read again counts as new.
    package static let (faceTimeout, codeTimeout) = (Nanoseconds.seconds(3), Nanoseconds.seconds(10))
    /// Time for which an analysis is current.
    private static let currency = Nanoseconds.seconds(3)
    /// Largest number of code events per minute, because a display may show many codes one after another, and of
    /// events of new faces, because another process may send any numbers.
    private static let (mostCodeEvents, mostFaceEvents) = (30, 60)
    /// Largest number of known faces. Further faces are ignored.
    package static let mostFaces = 64
    /// Smallest overlap of a face with the one whose number it takes over from an ended source.
    private static let leastOverlap = 0.2

    /// Creates the detections of a camera that hasn't been analyzed.
    package init() {}

    /// Adds the analysis of a frame.
    ///
    /// - Parameters:
    ///   - analysis: The faces and codes, with the numbers of the source.
    ///   - source: Where the analysis comes from.
    ///   - time: Capture time of the frame.
    ///   - arrival: The current time, which never decreases.
    /// - Returns: The analysis with the session's numbers of the faces, and the events.
    package mutating func add(
        _ analysis: FrameAnalysis, from source: Source, capturedAt time: ClockTime,
        arrivedAt arrival: ClockTime
    ) -> (analysis: FrameAnalysis, events: [Event]) {
        // A source may use the number of a lost face again.
        var events = expire(at: arrival)
        var result = analysis
        result.faces = []
        var used: Set<Int> = []
        for found in analysis.faces {
            var face = found
            if let known = knownIndex(of: face, from: source, except: used) {
                face.id = faces[known].face.id
                used.insert(known)
                let isReported = faces[known].isReported
                faces[known] = Face(
                    face: face, foreign: found.id, source: source, seen: time, arrived: arrival,
                    isReported: isReported)
            } else {
                guard faces.count < Self.mostFaces else { continue }
                lastID += 1
                face.id = lastID
                let isReported = faceEvents.count < Self.mostFaceEvents
                used.insert(faces.count)
                faces.append(
                    Face(
                        face: face, foreign: found.id, source: source, seen: time, arrived: arrival,
                        isReported: isReported))
                if isReported {
                    faceEvents.append(arrival)
                    events.append(.appeared(face))
                }
            }
            result.faces.append(face)
        }
        events += record(analysis.codes, at: arrival)
        latest = (result, time)
        return (result, events)
    }

    /// Removes the faces that haven't been found for a while. Call this method also when no analyses arrive.
    ///
    /// - Parameter time: The current time.
    /// - Returns: The events of the lost faces.
    package mutating func expire(at time: ClockTime) -> [Event] {
        faceEvents.removeAll { time - $0 > Nanoseconds.seconds(60) }
        let lost = faces.filter { time - $0.arrived > Self.faceTimeout }
        guard !lost.isEmpty else { return [] }
        faces.removeAll { time - $0.arrived > Self.faceTimeout }
        return lost.filter(\.isReported).map { .lost(id: $0.face.id, at: $0.seen) }
    }

    /// The last analysis, or `nil` if it isn't current.
    package func current(at time: ClockTime) -> FrameAnalysis? {
        latest.flatMap { time - $0.at <= Self.currency ? $0.analysis : nil }
    }

    private func knownIndex(of face: DetectedFace, from source: Source, except used: Set<Int>) -> Int? {
        let free = faces.indices.filter { !used.contains($0) }
        if let known = free.first(where: { faces[$0].source == source && faces[$0].foreign == face.id }) {
            return known
        }
        let candidates = free.filter { faces[$0].source != source }
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

/// The faces and codes in one frame of a camera of a session.
package struct ReceivedAnalysis: Sendable {
    /// The camera's role.
    package let role: String
    /// The faces and codes, with the session's numbers of the faces.
    package let analysis: FrameAnalysis
    /// Capture time of the frame, on the session clock.
    package let capturedAt: ClockTime
    /// Timestamp of the frame, as in its message on the media socket.
    package let stamp: ClockTime
    /// The frame's sequence number, if known.
    package let sequence: Int64?
}

/// Receives the analyses of a session's cameras.
package struct AnalysisListener: Sendable {
    /// Called with each analysis. Must not block.
    package let receive: @Sendable (ReceivedAnalysis) -> Void

    /// Creates a listener from a closure.
    package init(_ receive: @escaping @Sendable (ReceivedAnalysis) -> Void) { self.receive = receive }
}
