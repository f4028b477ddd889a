internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamEncoding
package import MulticamInterchange
internal import MulticamMedia

/// Creates low-resolution proxies of the camera files for editing on a slow computer. Proxies have the same
/// names, frames, times, and rotation as the original files.
package struct Proxies: Sendable {
    private let session: RecordedSession
    private let folder: String
    /// Number of processors to use.
    package var processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Maximum width of a proxy in pixels.
    private static let width = 960
    /// Key frames per second in a proxy. Frequent key frames make seeking fast during editing.
    private static let keysPerSecond = 2.0

    /// Prepares the creation of proxies for a recording. `folder` is the path of the session folder.
    package init(of session: RecordedSession, in folder: String) {
        self.session = session.withFirstFrames(in: folder)
        self.folder = folder
    }

    /// Creates one proxy in `edit/proxies` for each file of each camera, and replaces existing proxies. This
    /// method blocks for a long time, so don't call it from a Swift task.
    ///
    /// - Parameter progress: Receives progress reports and can cancel the operation.
    /// - Returns: One sentence for each file that couldn't be read. Frames of these files are replaced with
    ///   slates.
    /// - Throws: `RenderError` if the operation fails or is canceled. Completed proxies are kept.
    package func run(progress: RenderProgress = RenderProgress()) throws(RenderError) -> [String] {
        do {
            var faults: [String] = []
            let cameras = session.angles.filter { $0.kind == .camera }
            let parts = cameras.flatMap { track in track.parts.map { (track, $0) } }
            for (index, (track, part)) in parts.enumerated() {
                faults += try copy(part, of: track) { share in
                    progress.report("creating proxies", (Double(index) + share) / Double(parts.count))
                    return !progress.cancellation.isCancelled
                }
            }
            return faults
        } catch {
            throw RenderError(error)
        }
    }

    private func copy(
        _ part: SessionPart, of track: SessionTrack, proceed: (Double) -> Bool
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
        own.pixelAspect = track.pixelAspect
        let (folder, name) = (folder, copyName(of: part, track))
        let schedule =
            track.isOnGrid ? nil : FrameSchedule(own, folder: folder, rate: rate, count: ticks.upperBound)
        let draft = try DraftFile(
            for: try Renderer.makeFile("edit/proxies/\(name)", in: folder), replaces: true)
        do {
            return try write(
                own, schedule, ticks, settings, to: draft, beginning: part.firstFrame, proceed: proceed)
                + (schedule?.faults ?? [])
        } catch let error as FileError {
            throw draft.withFinalPath(error)
        }
    }

    /// Returns the file name of a proxy, which is the name of the original file. If the original file
    /// contains several cameras, the proxy is named after the camera, followed by the original file name if
    /// the track has several files.
    private func copyName(of part: SessionPart, _ track: SessionTrack) -> String {
        let name = part.file.split(separator: "/").last.map(String.init) ?? part.file
        let isShared = session.angles.contains { other in
            other.role != track.role
                && other.parts.contains { $0.file == part.file || $0.file.hasSuffix("/" + name) }
        }
        // In a group recording, the role is preceded by the name of its node.
        return isShared ? "\(track.role.split(separator: "/").joined(separator: "-"))-\(name)" : name
    }

    private func write(
        _ track: SessionTrack, _ schedule: FrameSchedule?, _ ticks: Range<Int64>,
        _ settings: VideoEncodingSettings,
        to draft: DraftFile, beginning: MediaTime, proceed: (Double) -> Bool
    ) throws -> [String] {
        let (folder, rate, size) = (folder, settings.rate, settings.size)
        var parameters = try Codecs().makeVideoEncoder(settings, name: track.role).parameters
        parameters.pixelAspect = track.pixelAspect
        let timecode = session.timecode(of: track, at: rate.time(ofTick: ticks.lowerBound), rate: rate)
        let file = try MovieFile(
            draft.temporaryFile, kind: .mov,
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

/// Provides the frames of one track as stored, without rotation or cropping. Not thread-safe.
final class WholeTrackSource: LayerSource {
    private let angle: AngleReader
    private let rate: FrameRate
    private let layer: (CapturedFrame?) -> FrameLayer

    /// Creates a source. Files are opened later, when they are needed.
    ///
    /// - Parameters:
    ///   - track: The track whose frames are provided.
    ///   - folder: Path of the session folder.
    ///   - schedule: The schedule of frames for each tick; `nil` for a track on a frame grid.
    ///   - rate: Rate of the ticks.
    ///   - size: Size of the layer in pixels.
    init(_ track: SessionTrack, folder: String, schedule: FrameSchedule?, rate: FrameRate, size: FrameSize) {
        angle = AngleReader(track, folder: folder, schedule: schedule)
        self.rate = rate
        let caption = SlateCaption(role: track.role, device: track.devices.first ?? track.role)
        let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        layer = { FrameLayer(frame: $0, LayerShape(whole), caption: caption) }
    }

    func layers(at tick: Int64) -> [FrameLayer] {
        [layer(angle.frame(at: rate.time(ofTick: tick), tick: tick))]
    }

    var faults: [String] { [angle.fault].compactMap(\.self) }
}
