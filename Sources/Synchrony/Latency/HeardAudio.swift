internal import Media

/// The latest seconds of a microphone's audio, as the mean of its channels, with what its stamps say of them.
struct HeardAudio: Sendable {
    private var samples: [Float] = []
    /// The source's count before the first of `samples`.
    private var first: Int64 = 0
    private var latest: (count: Int64, time: ClockTime)?
    private let rate: Int64

    private static let length = VoiceDating.window + VoiceDating.largestDelay

    /// - Parameter rate: Samples per second, above 0.
    init(rate: Int) { self.rate = Int64(rate) }

    /// Takes the next slice.
    ///
    /// - Returns: Whether it follows on what came before; else that is forgotten.
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
        // Rarely, as it moves all that stays.
        let excess = samples.count - Int(Self.length.inSeconds * Double(rate))
        if excess > samples.count / 2 {
            samples.removeFirst(excess)
            first += Int64(excess)
        }
        return follows
    }

    /// When a sample was or will be captured, by the latest stamp; `nil` before the first.
    func time(of count: Int64) -> ClockTime? {
        latest.map { $0.time + duration(of: count) - duration(of: $0.count) }
    }

    /// When what there is ends; `nil` of nothing.
    var end: ClockTime? { time(of: first + Int64(samples.count)) }

    /// How long so many samples take.
    func duration(of count: Int64) -> Nanoseconds {
        .duration(of: count, perSecond: rate)
    }

    /// So many samples from about a time on, and the count before the first; `nil` where not all are there.
    func window(from begin: ClockTime, count: Int) -> (samples: [Float], first: Int64)? {
        guard let start = time(of: first) else { return nil }
        let index = Int(rounding: (begin - start).inSeconds * Double(rate))
        guard index >= 0, index + count <= samples.count else { return nil }
        return (Array(samples[index..<index + count]), first + Int64(index))
    }
}
