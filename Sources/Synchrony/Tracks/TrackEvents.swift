internal import Encoding
internal import Media

/// Finds flashes or onsets in windows of one track.
///
/// A recorded frame at time t does not tell when its light fell: it is the frame captured nearest to t, whose exposure began
/// within 0.55 of the camera's interval before or after t, and lasted up to one interval. A flash that it shows began between t
/// − 0.55 and t + 1.55 intervals; all of that is the event's range.
struct TrackEvents {
    let track: CheckedTrack
    private let parts: TrackParts

    /// Largest distance of a frame from its tick, in hundredths of the camera's interval: beyond it the aligner chooses another
    /// frame.
    private static let leastHundredths: Int64 = 55
    /// Largest error of the clock model of a camera or microphone.
    private static let clockError = Nanoseconds.milliseconds(1)
    /// Time that a detector needs before it knows what is usual.
    private static let preparation = Nanoseconds.milliseconds(800)
    /// Longest run of ticks with one frame that may show flashes: a camera slower than a quarter of its track's rate does not.
    private static let longestRun: Int64 = 4
    /// Smallest rise in the program's brightness, as a share of white: a flash must light the whole frame or its main part, not
    /// one inset.
    private static let leastProgramRise = 0.1

    /// Opens the files of a track to find how long they are.
    ///
    /// - Throws: `EncodingError` when a file cannot be read.
    init(_ track: CheckedTrack) throws(EncodingError) {
        self.track = track
        parts = try TrackParts(track)
    }

    /// End of the track's last file, since T0.
    var duration: Nanoseconds { parts.duration }

    /// Events in a window in the order of time, without those that a known gap may have caused.
    func find(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        let begin = Nanoseconds(max(0, window.begin.nanoseconds - Self.preparation.count))
        // A detector reports an event some time after it happened.
        let end = Nanoseconds(window.end.nanoseconds) + Self.preparation
        let read = TrackWindow(from: begin, to: end)
        let found = track.kind.isAudio ? try onsets(in: read) : try flashes(in: read)
        return found.filter { window.contains($0.middle) && !track.isNearGap($0) }
    }

    private func flashes(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        let leastRise = track.kind == .programFrame ? Self.leastProgramRise : 0.02
        var detector = FlashDetector(leastRise: leastRise)
        var events: [SharpEvent] = []
        for (part, reader) in try parts.readers(in: window) {
            var last: MediaTime?
            var standing: [MediaTime] = []
            while let look = try reader.nextLook() {
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

    /// Largest number of successive frames that may be one repeated frame. A longer run was captured that way: the camera saw
    /// the same to the last bit, as one does that looks at a wall in the dark, or that is a file.
    private var longestFilling: Int { max(Int(Self.longestRun), track.filled) }

    /// Earliest time at which light fell on a frame, and how long after that light may have fallen on it.
    private func exposure(
        ofFrameAt time: MediaTime, after last: MediaTime?
    ) -> (from: MediaTime, exposure: Nanoseconds) {
        // A frame may have stood for several ticks: the camera was slow, or its next frame was lost.
        let run =
            last.map { (time.nanoseconds - $0.nanoseconds + track.tick.count / 2) / track.tick.count } ?? 1
        let interval = max(track.cameraInterval, track.tick * ((2...Self.longestRun).contains(run) ? run : 0))
        let before = interval * Self.leastHundredths / 100
        // A camera that is faster than its track may have shown a lamp first in a frame that the track skipped.
        let unseen = max(.zero, track.tick - interval)
        let from = time.nanoseconds - (before + unseen + Self.clockError).count
        return (MediaTime(nanoseconds: from), before * 2 + interval + unseen + Self.clockError * 2)
    }

    private func onsets(in window: TrackWindow) throws(EncodingError) -> [SharpEvent] {
        var events: [SharpEvent] = []
        for (part, reader) in try parts.readers(in: window) {
            var detector = OnsetDetector(rate: Double(reader.sampleRate))
            while let audio = try reader.nextAudio() {
                let time = MediaTime(nanoseconds: audio.time.nanoseconds + part.start.count)
                if time >= window.end { break }
                events += detector.add(audio.samples, at: time)
            }
            events += detector.finish()
        }
        return events
    }

    /// The samples of a window with their rate, with silence where there are none; `nil` where less than nine tenths of them
    /// exist.
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
            while let audio = try reader.nextAudio() {
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
