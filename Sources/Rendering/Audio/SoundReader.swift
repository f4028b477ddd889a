internal import Encoding
internal import Interchange
internal import Media

/// Reads the samples of one microphone's track by their place in the recording, from all of its files. Used by one thread alone.
///
/// Where nothing was recorded, and where a file cannot be read, there is silence; `fault` says why.
final class SoundReader {
    private let track: SessionTrack
    private let folder: String
    private let isProgram: Bool
    private var part: SessionPart?
    private var reader: TrackReader?
    /// Samples that were read, from `place` on, interleaved.
    private var waiting: [Float] = []
    /// Index since T0 of the first sample in `waiting`.
    private var place: Int64 = 0
    private var isAtEnd = false
    /// Number of channels of what is read.
    private(set) var channels: Int
    /// Why samples are missing, as a sentence; `nil` where none is.
    private(set) var fault: String?

    private static let rate = Int64(AudioFormat.sessionRate)
    /// Samples before a place at which reading begins, since a packet of AAC needs those before it.
    private static let lead: Int64 = 4096
    /// How many samples a file may lack at its end: a packet of AAC and its priming.
    private static let tolerance: Int64 = 4096
    /// Reading on is cheaper than seeking within this many samples.
    private static let nearby: Int64 = 48_000

    /// Makes a reader that has opened no file yet.
    ///
    /// - Parameters:
    ///   - track: A microphone's track, or the program, whose audio is then read.
    ///   - folder: Path of the session folder.
    init(_ track: SessionTrack, folder: String) {
        self.track = track
        self.folder = folder
        isProgram = track.kind == .program
        channels = min(max(1, track.channels), 8)
    }

    /// Reads samples.
    ///
    /// - Parameter range: Indices of the samples since T0.
    /// - Returns: The samples of all `channels`, interleaved.
    func samples(_ range: Range<Int64>) -> [Float] {
        var result: [Float] = []
        for part in track.parts {
            let own = range.clamped(to: part.samples)
            guard !own.isEmpty else { continue }
            do throws(EncodingError) {
                try open(part)
                add(silenceUpTo: own.lowerBound - range.lowerBound, to: &result)
                try read(own, of: part, into: &result)
            } catch {
                fault = fault ?? error.description
                (reader, isAtEnd) = (nil, true)
            }
        }
        add(silenceUpTo: Int64(range.count), to: &result)
        return result
    }

    private func add(silenceUpTo count: Int64, to samples: inout [Float]) {
        let missing = Int(count) * channels - samples.count
        if missing > 0 { samples.append(contentsOf: repeatElement(0, count: missing)) }
    }

    private func open(_ part: SessionPart) throws(EncodingError) {
        guard part != self.part else { return }
        self.part = part
        (waiting, place, isAtEnd) = ([], part.samples.lowerBound, false)
        let reader = try TrackReader(
            path: folder + "/" + part.file, stream: part.stream + (isProgram ? 1 : 0), media: .audio)
        guard Int64(reader.sampleRate) == Self.rate, (1...8).contains(reader.channels) else {
            throw EncodingError(
                subject: part.file, operation: "reading",
                reason:
                    "it has \(reader.channels) channels at \(reader.sampleRate) Hz in place of 1 to 8 at \(Self.rate) Hz"
            )
        }
        channels = reader.channels
        self.reader = reader
    }

    private func read(
        _ range: Range<Int64>, of part: SessionPart, into result: inout [Float]
    ) throws(EncodingError) {
        let reached = place + Int64(waiting.count / channels)
        if range.lowerBound < place || range.lowerBound > reached + Self.nearby {
            let start = max(0, range.lowerBound - part.samples.lowerBound - Self.lead)
            try reader?.seek(to: FrameRate(Self.rate).time(ofTick: start))
            (waiting, place, isAtEnd) = ([], range.lowerBound, false)
        }
        drop(before: range.lowerBound)
        while place + Int64(waiting.count / channels) < range.upperBound, !isAtEnd {
            guard let (samples, time) = try reader?.nextSamples() else {
                isAtEnd = true
                let reached = place + Int64(waiting.count / channels)
                if reached + Self.tolerance < part.samples.upperBound {
                    fault = fault ?? "\(part.file): it ends too early. From there on there is silence."
                }
                break
            }
            take(samples, at: part.samples.lowerBound + time.ticks(perSecond: Self.rate))
            drop(before: range.lowerBound)
        }
        let count = min(range.count * channels, waiting.count)
        result.append(contentsOf: waiting[..<count])
        waiting.removeFirst(count)
        place += Int64(count / channels)
    }

    /// Appends samples at their place: those that are there already are left out, and a hole is silence.
    private func take(_ samples: [Float], at start: Int64) {
        let end = place + Int64(waiting.count / channels)
        if start > end { waiting.append(contentsOf: repeatElement(0, count: Int(start - end) * channels)) }
        let early = min(Int(max(0, end - start)) * channels, samples.count)
        waiting.append(contentsOf: samples[early...])
    }

    private func drop(before index: Int64) {
        let count = min(max(0, Int(index - place)) * channels, waiting.count)
        waiting.removeFirst(count)
        place = waiting.isEmpty ? max(place, index) : place + Int64(count / channels)
    }
}

extension SessionPart {
    /// Indices since T0 of the samples that the part holds.
    fileprivate var samples: Range<Int64> {
        let rate = Int64(AudioFormat.sessionRate)
        return from.ticks(perSecond: rate)..<max(from, to).ticks(perSecond: rate)
    }
}
