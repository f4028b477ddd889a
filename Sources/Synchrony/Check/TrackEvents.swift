internal import MulticamEncoding
package import MulticamMedia

/// Finds flashes or onsets in windows of one track.
///
/// The time t of a recorded frame isn't exactly the time of its exposure. The recorded frame is the frame
/// with the capture time closest to t. The exposure of this frame began at most 0.55 frame intervals of the
/// camera before or after t, and lasted up to one interval. A flash that is visible in this frame therefore
/// began between 0.55 intervals before t and 1.55 intervals after t. The event's range covers all of this
/// time.
struct TrackEvents {
    let track: CheckedTrack
    private let parts: TrackParts

    /// Maximum distance of a frame from its tick, in hundredths of the camera's frame interval. If a frame is
    /// farther from the tick, the aligner chooses another frame.
    private static let leastHundredths: Int64 = 55
    /// Maximum error of the clock model of a camera or microphone.
    private static let clockError = Nanoseconds.milliseconds(1)
    /// Time that a detector needs to adapt to the usual brightness or sound level.
    private static let preparation = Nanoseconds.milliseconds(800)
    /// Maximum number of consecutive ticks with the same frame for which flashes can still be detected. The
    /// limit excludes cameras with a frame rate of less than a quarter of the track's rate.
    private static let longestRun: Int64 = 4
    /// Minimum rise in the program's brightness, as a share of white. A flash must light all or most of the
    /// program frame, not only one inset.
    private static let leastProgramRise = 0.1

    /// Prepares the search for events in a track. The track's files are opened to determine their length.
    ///
    /// - Throws: `EncodingError` if a file can't be read.
    init(_ track: CheckedTrack) throws(EncodingError) {
        self.track = track
        parts = try TrackParts(track)
    }

    /// End of the track's last file, relative to T0.
    var duration: Nanoseconds { parts.duration }

    /// Returns the events in a window in chronological order, excluding those that a known gap may have
    /// caused.
    func find(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        let begin = Nanoseconds(max(0, window.begin.nanoseconds - Self.preparation.count))
        // The window is extended because a detector reports an event with a delay.
        let end = Nanoseconds(window.end.nanoseconds) + Self.preparation
        let read = TrackWindow(from: begin, to: end)
        let found = track.kind.isAudio ? try onsets(in: read) : try flashes(in: read)
        return found.filter { window.contains($0.middle) && !track.isNearGap($0) }
    }

    private func flashes(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        let leastRise = track.kind == .programVideo ? Self.leastProgramRise : 0.02
        var detector = FlashDetector(leastRise: leastRise)
        var events: [SharpEvent] = []
        for (part, reader) in try parts.readers(in: window) {
            var last: MediaTime?
            var standing: [MediaTime] = []
            while let look = try reader.nextBrightness() {
                let time = MediaTime(nanoseconds: look.time.nanoseconds + part.start.count)
                if time >= window.end { break }
                guard time >= window.begin else { continue }
                if look.isRepeat { standing.append(time) } else { standing.removeAll(keepingCapacity: true) }
                guard !look.isRepeat || standing.count > longestFilling else { continue }
                let seen = standing.count - 1 == longestFilling ? standing : [time]
                for time in seen {
                    let (from, exposure) = exposure(ofFrameAt: time, after: last)
                    last = time
                    if let event = detector.add(brightness: look.brightness, at: from, exposure: exposure) {
                        events.append(event)
                    }
                }
            }
        }
        return events
    }

    /// Maximum number of consecutive identical frames that may be duplicates inserted by the recorder. In a
    /// longer run, the camera itself delivered bit-identical frames, for example because it faces a wall in
    /// the dark or plays a file.
    private var longestFilling: Int { max(Int(Self.longestRun), track.filled) }

    /// Returns the earliest time at which light reached a frame, and how long after that time light may still
    /// have reached the frame.
    private func exposure(
        ofFrameAt time: MediaTime, after last: MediaTime?
    ) -> (from: MediaTime, exposure: Nanoseconds) {
        // A frame may be shown for several ticks if the camera was slow or the camera's next frame was lost.
        let run =
            last.map { (time.nanoseconds - $0.nanoseconds + track.tick.count / 2) / track.tick.count } ?? 1
        let interval = max(track.cameraInterval, track.tick * ((2...Self.longestRun).contains(run) ? run : 0))
        let before = interval * Self.leastHundredths / 100
        // If a camera is faster than its track, the light of a lamp may first appear in a frame that was
        // decimated.
        let unseen = max(.zero, track.tick - interval)
        let from = time.nanoseconds - (before + unseen + Self.clockError).count
        return (MediaTime(nanoseconds: from), before * 2 + interval + unseen + Self.clockError * 2)
    }

    private func onsets(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        var events: [SharpEvent] = []
        for (part, reader) in try parts.readers(in: window) {
            var detector = OnsetDetector(rate: Double(reader.sampleRate))
            while let audio = try reader.nextMonoSamples() {
                let time = MediaTime(nanoseconds: audio.time.nanoseconds + part.start.count)
                if time >= window.end { break }
                events += detector.add(audio.samples, at: time)
            }
            events += detector.finish()
        }
        return events
    }

    /// Returns the samples of a window and their sample rate. Missing samples are replaced with silence.
    /// Returns `nil` if fewer than nine tenths of the samples exist.
    func samples(in window: TrackWindow) throws(EncodingError) -> (samples: [Float], rate: Double)? {
        var result: [Float] = []
        var (rate, filled) = (0.0, 0)
        for (part, reader) in try parts.readers(in: window) {
            let own = Double(reader.sampleRate)
            if result.isEmpty {
                rate = own
                result = Array(repeating: 0, count: Int(window.length.inSeconds * rate))
            }
            guard own == rate else { return nil }
            while let audio = try reader.nextMonoSamples() {
                let time = audio.time.nanoseconds + part.start.count - window.begin.nanoseconds
                let first = Int(rounding: Double(time) / 1e9 * rate)
                if first >= result.count { break }
                let from = max(0, -first)
                let to = min(audio.samples.count, result.count - first)
                guard from < to else { continue }
                result.replaceSubrange(first + from..<first + to, with: audio.samples[from..<to])
                filled += to - from
            }
        }
        return filled * 10 >= result.count * 9 && filled > 0 ? (result, rate) : nil
    }
}

/// The files of one track, in sequence on the recording's timeline.
struct TrackParts {
    /// One of the files of a track.
    struct Part {
        let file: String
        /// Time 0 of the file, relative to T0. The value comes from the manifest. If the manifest doesn't
        /// contain the start of the file, the end of the previous file is used.
        let start: Nanoseconds
        let duration: Nanoseconds
    }

    let parts: [Part]
    private let track: CheckedTrack

    /// Opens each file of a track to determine its length.
    ///
    /// - Throws: `EncodingError` if a file can't be read.
    init(_ track: CheckedTrack) throws(EncodingError) {
        self.track = track
        var parts: [Part] = []
        var start = track.start
        for (index, file) in track.files.enumerated() {
            let reported = index > 0 && index <= track.laterStarts.count ? track.laterStarts[index - 1] : nil
            // A start time in the manifest that is before the start of the preceding part is invalid and is
            // ignored.
            if let reported, let before = parts.last, reported > before.start { start = reported }
            let duration = try Self.reader(of: file, track).duration ?? .zero
            parts.append(Part(file: file, start: start, duration: duration))
            start = start + duration
        }
        self.parts = parts
    }

    /// End of the last file, relative to T0.
    var duration: Nanoseconds { parts.last.map { $0.start + $0.duration } ?? .zero }

    /// Returns the files that overlap a window, each with a reader positioned at the start of the window.
    func readers(in window: TrackWindow) throws(EncodingError) -> [(part: Part, reader: TrackReader)] {
        var readers: [(part: Part, reader: TrackReader)] = []
        for part in parts {
            let isOver =
                (part.start + part.duration).count <= window.begin.nanoseconds
                && part.file != parts.last?.file
            guard !isOver, part.start.count < window.end.nanoseconds else { continue }
            let reader = try Self.reader(of: part.file, track)
            let within = MediaTime(nanoseconds: max(0, window.begin.nanoseconds - part.start.count))
            if within > .zero { try reader.seek(to: within) }
            readers.append((part, reader))
        }
        return readers
    }

    private static func reader(of file: String, _ track: CheckedTrack) throws(EncodingError) -> TrackReader {
        try TrackReader(
            file, in: track.folder, stream: track.stream, media: track.kind.isAudio ? .audio : .video)
    }
}

/// A period of a recording, from `begin` (included) to `end` (excluded). Both times are relative to T0.
package struct TrackWindow: Sendable, Equatable {
    /// Start of the window, relative to T0.
    package let begin: MediaTime
    /// End of the window, relative to T0. The window doesn't include this time.
    package let end: MediaTime

    /// Creates a window from two times relative to T0. If `end` is before `begin`, the window is empty.
    package init(from begin: Nanoseconds, to end: Nanoseconds) {
        self.begin = MediaTime(nanoseconds: begin.count)
        self.end = MediaTime(nanoseconds: max(begin, end).count)
    }

    /// Length of the window.
    package var length: Nanoseconds { Nanoseconds(end.nanoseconds - begin.nanoseconds) }
    /// Middle of the window, relative to T0.
    package var middle: MediaTime { MediaTime(nanoseconds: (begin.nanoseconds + end.nanoseconds) / 2) }

    /// Whether the window contains the given time.
    func contains(_ time: MediaTime) -> Bool { begin <= time && time < end }
}
