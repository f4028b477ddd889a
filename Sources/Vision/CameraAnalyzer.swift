internal import MulticamMedia

/// Examines the frames of one camera. Not thread-safe.
final class CameraAnalyzer {
    private var request: VisionRequest
    private let detector: any FaceDetector
    private let makeTracker: (GrayImage, Box) -> (any ObjectTracker)?
    private let reader: CodeReader?
    private var faces = FaceTracks()
    private var schedule = DetectionSchedule()
    private var trackers: [Int: any ObjectTracker] = [:]
    /// The last image, and the last one that the detector has searched.
    private var previous: GrayImage?
    private var searched: GrayImage?
    private var frameCount = 0

    /// Mean difference above which a picture has changed: in a part of it, and in a face.
    private static let movement = 2.5
    /// Lowest score of a detection that continues a track.
    private static let weakScore = -0.35
    /// Lowest quality of a tracker's match.
    private static let trackerQuality = 6.0
    /// The picture is divided into this many columns and rows to find movement.
    private static let (columns, rows) = (8, 5)
    /// Difference in gray levels, above the noise, at which a face counts as fully active.
    private static let fullActivity = 12.0

    /// Creates an analyzer.
    ///
    /// - Parameters:
    ///   - request: What to search for.
    ///   - detector: Finds the faces.
    ///   - reader: Reads the codes; `nil` if there is none.
    ///   - makeTracker: Creates a tracker for an object in an image.
    init(
        _ request: VisionRequest, detector: any FaceDetector, reader: CodeReader?,
        makeTracker: @escaping (GrayImage, Box) -> (any ObjectTracker)? = { CorrelationTracker($0, $1) }
    ) {
        (self.request, self.detector, self.reader) = (request, detector, reader)
        self.makeTracker = makeTracker
    }

    /// Changes what is searched for. Known faces keep their numbers unless the picture's orientation changes.
    func change(to request: VisionRequest) {
        if request.rotation != self.request.rotation {
            (trackers, previous, searched) = ([:], nil, nil)
        }
        self.request = request
    }

    /// Examines the next image.
    ///
    /// - Parameters:
    ///   - image: The upright image.
    ///   - time: Time of the image in seconds, which increases from image to image.
    /// - Returns: The faces and codes in the image.
    func analyze(_ image: GrayImage, at time: Double) -> FrameAnalysis {
        let last = previous.flatMap { $0.width == image.width && $0.height == image.height ? $0 : nil }
        defer { previous = image }
        frameCount += 1
        var analysis = FrameAnalysis()
        let differences = last.map { cellDifferences(image, $0) } ?? []
        // The quietest parts of the picture show only the camera's noise.
        let noise = differences.sorted().prefix(differences.count / 4).last ?? 0
        if request.detect.contains(.faces) {
            findFaces(in: image, last, noise: noise, at: time)
            let size = (Double(image.width), Double(image.height))
            analysis.faces = faces.visible(at: time).compactMap { track in
                FramePart(track.box, in: size).map {
                    DetectedFace(
                        id: track.id, box: $0, confidence: min(max(0.5 + track.score / 3, 0), 1),
                        activity: track.activity)
                }
            }
        }
        if request.detect.contains(.codes), let reader { analysis.codes = reader.codes(in: image) }
        return analysis
    }

    private func findFaces(in image: GrayImage, _ last: GrayImage?, noise: Double, at time: Double) {
        let moves =
            searched.map { $0.width != image.width || hasMoved(image, since: $0, noise: noise) } ?? true
        let known = faces.visible(at: time - 1e-9).map(\.box.height) + faces.tracks.map(\.box.height)
        var fresh: Set<Int> = []
        if let scale = schedule.scale(
            at: time, smallest: known.min(), detectable: detector.smallestFace, moves: moves)
        {
            searched = image
            fresh = faces.add(
                detector.faces(in: image, scale: scale, threshold: Self.weakScore), at: time)
            for track in faces.tracks where fresh.contains(track.id) {
                trackers[track.id] = makeTracker(image, track.box)
            }
        }
        for track in faces.tracks where !fresh.contains(track.id) {
            guard let tracker = trackers[track.id] else { continue }
            guard let (box, quality) = tracker.update(with: image), quality >= Self.trackerQuality,
                box.centerX > 0, box.centerX < Double(image.width), box.centerY > 0,
                box.centerY < Double(image.height)
            else {
                trackers[track.id] = nil
                continue
            }
            faces.follow(track.id, to: box, at: time)
        }
        let ids = Set(faces.tracks.map(\.id))
        trackers = trackers.filter { ids.contains($0.key) }
        guard let last else { return }
        for track in faces.tracks {
            let change = max(0, image.difference(to: last, in: track.box) - 1.5 * noise - 0.3)
            faces.setActivity(min(1, change / Self.fullActivity), of: track.id)
        }
    }

    private func cellDifferences(_ image: GrayImage, _ other: GrayImage) -> [Double] {
        let (width, height) = (
            Double(image.width) / Double(Self.columns), Double(image.height) / Double(Self.rows)
        )
        return (0..<Self.columns * Self.rows).map { index in
            image.difference(
                to: other,
                in: Box(
                    x: Double(index % Self.columns) * width, y: Double(index / Self.columns) * height,
                    width: width, height: height))
        }
    }

    private func hasMoved(_ image: GrayImage, since other: GrayImage, noise: Double) -> Bool {
        guard image.height == other.height else { return true }
        return cellDifferences(image, other).contains { $0 > 2 * noise + Self.movement }
    }
}
