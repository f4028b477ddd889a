import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamSessionFolder

/// Tests a cut written by a user or another program, as read by `--cut FILE`.
final class CutText: FuzzTarget {
    static let name = "cut"
    static let limit = 4096
    private let session: RecordedSession

    /// A ten-second recording at 29.97 fps with two cameras and a program.
    private static let manifest = """
        {"schema": 1, "multicam": "0.0.0", "profile": "pip", "started": "2026-11-21T14:23:10.000000000+01:00",
         "t0_monotonic_ns": 1, "duration_ns": 10010000000, "alignment_delay_ns": 1, "outcome": "finished",
         "machine": {"host": "h", "system": "s", "processors": 1}, "devices": [], "governor": [], "markers": [], "gaps": [],
         "tracks": [
           {"name": "desk", "kind": "camera", "file": "cameras/desk.mov", "stream": 0, "codec": "mjpeg", "width": 640,
            "height": 360, "rate": 29.97, "rotation": 0, "first_ns": 0, "duration_ns": 10010000000},
           {"name": "face", "kind": "camera", "file": "cameras/face.mov", "stream": 0, "codec": "mjpeg", "width": 320,
            "height": 240, "rate": 29.97, "rotation": 90, "first_ns": 0, "duration_ns": 10010000000},
           {"name": "program", "kind": "program", "file": "program.mp4", "stream": 0, "codec": "h264", "width": 640,
            "height": 360, "rate": 29.97, "rotation": 0, "first_ns": 0, "duration_ns": 10010000000}]}
        """

    init(folder: String) throws {
        let manifest = try Manifest(reading: Array(Self.manifest.utf8))
        guard let session = RecordedSession(manifest, name: "n", isThere: { _ in true }) else {
            throw RuleViolation(description: "the recording that is cut is none")
        }
        self.session = session
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let cut: Cut
        do throws(CutError) {
            cut = try Cut(reading: bytes, file: "cut.json", for: session)
        } catch {
            try requireDisplayable(error.description)
            return
        }
        try require(
            cut.shots.first?.first == 0 && cut.shots.last?.end == session.frameCount,
            "a cut does not go from the beginning to the end")
        for shot in cut.shots.prefix(64) {
            try requireDisplayable(shot.reason)
            for size in [nil, FrameSize(width: 1080, height: 1920)] as [FrameSize?] {
                for layer in session.layers(of: shot, size: size) {
                    let place = layer.rectangle
                    try require(
                        place.width > 0 && place.height > 0 && session.angle(layer.role) != nil,
                        "a layer of a shot is empty, or of no camera")
                }
            }
        }
        let again: Cut
        do throws(CutError) {
            again = try Cut(reading: Array(cut.json), file: "cut.json", for: session)
        } catch {
            throw RuleViolation(description: "a cut that was written cannot be read: \(error)")
        }
        try require(again == cut, "a cut is not read as it is written")
    }
}
