internal import Media

/// The last seconds of a microphone's audio, as the mean of its channels, with their latest time stamp.
struct HeardAudio: Sendable {
    private var samples: [Float] = []
    /// The device's sample count before the first of `samples`.
    private var first: Int64 = 0
    private var latest: (count: Int64, time: ClockTime)?
    private let rate: Int64

    private static let length = VoiceDating.window + VoiceDating.largestDelay

    /// Creates an empty buffer for `rate` samples per second, above 0.
    init(rate: Int) { self.rate = Int64(rate) }

    /// Takes the next slice of audio.
    ///
    /// - Returns: Whether it continues the audio before; otherwise that is forgotten.
    mutating func add(_ audio: CapturedAudio) -> Bool {
        let follows = latest == nil || audio.firstSample == first + Int64(samples.count)
        if latest == nil || !follows {
            samples.removeAll(keepingCapacity: true)
            first = audio.firstSample
        }
        latest = (audio.firstSample, audio.capturedAt)
        let channels = audio.format.channels
        if channels == 1 {
            samples += audio.samples
        } else {
            for frame in 0..<audio.frameCount {
                let values = audio.samples[frame * channels..<(frame + 1) * channels]
                samples.append(values.reduce(0, +) / Float(channels))
            }
        }
        // Removing moves all remaining samples, so this is done rarely.
        let excess = samples.count - Int(Self.length.inSeconds * Double(rate))
        if excess > samples.count / 2 {
            samples.removeFirst(excess)
            first += Int64(excess)
        }
        return follows
    }

    /// Capture time of a sample on `CLOCK_MONOTONIC`, past or future, from the latest time stamp; `nil` before the first slice.
    func time(of count: Int64) -> ClockTime? {
        latest.map { $0.time + duration(of: count) - duration(of: $0.count) }
    }

    /// Capture time of the end of the buffer on `CLOCK_MONOTONIC`; `nil` before the first slice.
    var end: ClockTime? { time(of: first + Int64(samples.count)) }

    /// Duration of `count` samples.
    func duration(of count: Int64) -> Nanoseconds {
        .duration(of: count, perSecond: rate)
    }

    /// Returns `count` samples from about a time on, and the device's sample count before them; `nil` where the buffer does not
    /// hold all of them.
    func window(from begin: ClockTime, count: Int) -> (samples: [Float], first: Int64)? {
        guard let start = time(of: first) else { return nil }
        let index = Int(rounding: (begin - start).inSeconds * Double(rate))
        guard index >= 0, index + count <= samples.count else { return nil }
        return (Array(samples[index..<index + count]), first + Int64(index))
    }
}
