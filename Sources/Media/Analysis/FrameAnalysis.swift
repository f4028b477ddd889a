/// Faces and codes that were found in one frame of a camera. All positions are fractions of the upright frame;
/// mirroring in the program or in a preview doesn't change them.
public struct FrameAnalysis: Sendable, Equatable {
    /// The faces, in the order in which they were first found.
    public var faces: [DetectedFace]
    /// The codes, in no particular order.
    public var codes: [DetectedCode]

    /// Creates an analysis; the default is an empty one.
    public init(faces: [DetectedFace] = [], codes: [DetectedCode] = []) {
        (self.faces, self.codes) = (faces, codes)
    }
}

/// A face in a frame.
public struct DetectedFace: Sendable, Equatable, Codable {
    /// Number of the face, which is the same in all frames of a camera while the person is visible, and after a short
    /// occlusion. The numbers of a session begin with 1 for each camera.
    public var id: Int
    /// Bounds of the face in the upright frame, approximately from the eyebrows to the chin.
    public var box: FramePart
    /// Confidence that this is a face, 0…1.
    public var confidence: Double
    /// How much the picture of the face changes between frames, 0…1: about 0 for a picture on a wall.
    public var activity: Double

    /// Creates a face. Each parameter sets the property of the same name.
    public init(id: Int, box: FramePart, confidence: Double, activity: Double = 0) {
        (self.id, self.box, self.confidence, self.activity) = (id, box, confidence, activity)
    }

    /// Reads a face. A face without `activity` has the activity 0.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(Int.self, forKey: .id),
            box: try values.decode(FramePart.self, forKey: .box),
            confidence: try values.decode(Double.self, forKey: .confidence),
            activity: try values.decodeIfPresent(Double.self, forKey: .activity) ?? 0)
    }

    private enum CodingKeys: CodingKey {
        case id, box, confidence, activity
    }
}

/// The faces in one frame of a recorded camera.
package struct AnalyzedFrame: Sendable, Equatable, Codable {
    /// Time of the frame in nanoseconds since T0.
    package var at_ns: Int64
    /// The faces in the frame.
    package var faces: [DetectedFace]

    /// Creates an analyzed frame. Each parameter sets the property of the same name.
    package init(at_ns: Int64, faces: [DetectedFace]) { (self.at_ns, self.faces) = (at_ns, faces) }
}

/// A bar code or QR code in a frame.
public struct DetectedCode: Sendable, Equatable, Codable {
    /// The symbology of a code.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case qr
        case ean13 = "ean-13"
        case code128 = "code-128"
    }

    /// The symbology of the code.
    public var kind: Kind
    /// The content of the code, with control characters replaced, at most 1000 characters. Never act on a payload
    /// without asking the user: anyone can hold a code in front of a camera.
    public var payload: String
    /// Bounds of the code in the upright frame.
    public var box: FramePart
    /// Confidence that the code was read correctly, 0…1.
    public var confidence: Double

    /// Creates a code and makes its payload printable.
    public init(kind: Kind, payload: String, box: FramePart, confidence: Double) {
        (self.kind, self.box, self.confidence) = (kind, box, confidence)
        self.payload = payload.printable(limit: Self.longestPayload)
    }

    private static let longestPayload = 1000
}

/// Detection types.
public enum DetectionKind: String, Sendable, Codable, CaseIterable {
    case faces, codes
}

/// People that automatic framing keeps in frame.
public enum FramingMode: String, Sendable, Codable, CaseIterable {
    /// The program shows the camera as set by `crop`, `zoom`, `pan`, and `tilt`.
    case off
    /// All people.
    case people
    /// The person who is speaking, or the only one.
    case speaker
}

extension FrameAnalysis {
    /// Largest number of faces, and of codes, in an analysis.
    package static let mostFound = 32

    /// Returns the analysis with valid values, or `nil` if it has too many faces or codes, or a value that is out of
    /// range. Analyses come from another process.
    package var checked: FrameAnalysis? {
        guard faces.count <= Self.mostFound, codes.count <= Self.mostFound else { return nil }
        func isValid(_ box: FramePart) -> Bool {
            FramePart(x: box.x, y: box.y, width: box.width, height: box.height) != nil
        }
        let shares = 0.0...1.0
        guard
            faces.allSatisfy({
                isValid($0.box) && shares.contains($0.confidence) && shares.contains($0.activity)
                    && (0...Int(Int32.max)).contains($0.id)
            }), codes.allSatisfy({ isValid($0.box) && shares.contains($0.confidence) })
        else { return nil }
        return FrameAnalysis(
            faces: faces,
            codes: codes.map {
                DetectedCode(
                    kind: $0.kind, payload: $0.payload, box: $0.box, confidence: $0.confidence)
            })
    }
}
