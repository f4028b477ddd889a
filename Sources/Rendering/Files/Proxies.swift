internal import Containers
internal import Encoding
internal import FoundationEssentials
internal import Glibc
public import Interchange
internal import Media

/// Makes small copies of the cameras' files, for editing on a slow computer: the same names, frames, times and rotation.
public struct Proxies: Sendable {
    private let session: RecordedSession
    private let folder: String
    /// Number of processors to use.
    public var processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Most columns of a copy.
    private static let width = 960
    /// Key frames of a copy in a second: an editor jumps a lot.
    private static let keysPerSecond = 2.0

    /// Prepares the copies of a recording; `folder` is the path of the session folder.
    public init(of session: RecordedSession, in folder: String) {
        self.session = session.withFirstFrames(in: folder)
        self.folder = folder
    }

    /// Makes one copy for each file of each camera, in `edit/proxies`, in place of those that are there. Blocks for long; not in a
    /// Swift task.
    ///
    /// - Parameter progress: Told how far it is; may stop it.
    /// - Returns: What could not be read, as sentences: slates stand for it.
    /// - Throws: `RenderError`; copies that were finished stay.
    public func run(progress: RenderProgress = RenderProgress()) throws(RenderError) -> [String] {
        do {
            let copies = try Renderer.editFolder(in: folder) + "/proxies"
            guard mkdir(copies, 0o777) == 0 || errno == EEXIST else {
                throw FileError(path: copies, operation: "make the folder", errno: errno)
            }
            var faults: [String] = []
            let cameras = session.angles.filter { $0.kind == .camera }
            let parts = cameras.flatMap { track in track.parts.map { (track, $0) } }
            for (index, (track, part)) in parts.enumerated() {
                faults += try copy(part, of: track, to: copies) { share in
                    progress.tell("making proxies", (Double(index) + share) / Double(parts.count))
                    return !progress.cancellation.isCancelled
                }
            }
            return faults
        } catch {
            throw RenderError(error)
        }
    }

    private func copy(
        _ part: SessionPart, of track: SessionTrack, to copies: String, proceed: (Double) -> Bool
    ) throws -> [String] {
        let rate = track.rate ?? session.rate
        guard let stored = part.size else { return [] }
        let size = PictureStill.size(stored, width: Self.width)
        let settings = VideoEncodingSettings(size: size, rate: rate, preset: .ultrafast, quality: 28)
        let first = rate.ticks(before: part.firstFrame)
        let ticks = first..<max(first + 1, rate.ticks(before: part.to))
        var own = SessionTrack(
            role: track.role, kind: track.kind, parts: [part], rate: rate, isOnGrid: track.isOnGrid,
            rotation: track.rotation, gaps: track.gaps, devices: track.devices)
        own.origin = track.origin
        let (folder, name) = (folder, copyName(of: part, track))
        let schedule =
            track.isOnGrid ? nil : FrameSchedule(own, folder: folder, rate: rate, count: ticks.upperBound)
        let draft = try DraftFile(for: "\(copies)/\(name)", replaces: true)
        do {
            return try write(
                own, schedule, ticks, settings, to: draft, beginning: part.firstFrame, proceed: proceed)
                + (schedule?.faults ?? [])
        } catch let error as FileError {
            throw draft.told(error)
        }
    }

    /// The file's own name; where it holds several cameras, the camera's, with the file's as far as there are others of the track.
    private func copyName(of part: SessionPart, _ track: SessionTrack) -> String {
        let name = part.file.split(separator: "/").last.map(String.init) ?? part.file
        let isShared = session.angles.contains { other in
            other.role != track.role
                && other.parts.contains { $0.file == part.file || $0.file.hasSuffix("/" + name) }
        }
        // In a group's recording a role has its node in front.
        return isShared ? "\(track.role.split(separator: "/").joined(separator: "-"))-\(name)" : name
    }

    private func write(
        _ track: SessionTrack, _ schedule: FrameSchedule?, _ ticks: Range<Int64>,
        _ settings: VideoEncodingSettings,
        to draft: DraftFile, beginning: MediaTime, proceed: (Double) -> Bool
    ) throws -> [String] {
        let (folder, rate, size) = (folder, settings.rate, settings.size)
        let parameters = try Codecs().makeVideoEncoder(settings, name: track.role).parameters
        let timecode = session.timecode(of: track, at: rate.time(ofTick: ticks.lowerBound), rate: rate)
        let file = try MovieFile(
            path: draft.path, kind: .mov,
            tracks: [
                .video(parameters, rotation: track.rotation, name: track.role),
                .timecode(timecode, name: "time of day"),
            ], createdAt: session.date(at: beginning))
        defer { file.abandon() }
        let queue = SegmentQueue(
            ticks: ticks, settings: settings,
            keyInterval: max(1, Int64(rounding: rate.perSecond / Self.keysPerSecond)),
            processorCount: processorCount
        ) {
            WholeTrackSource(track, folder: folder, schedule: schedule, rate: rate, size: size)
        }
        defer { queue.stop() }
        for segment in 0..<queue.count {
            let packets = try queue.wait(for: segment) {
                proceed(Double(queue.frameCount) / Double(ticks.count))
            }
            for packet in packets { try file.append(packet, to: 0) }
        }
        try file.finish(ends: [Int64(ticks.count) * rate.seconds])
        try draft.publish()
        return queue.faults
    }
}
