internal import Media
internal import Writers

/// One stream of audio on its way to be measured, in batches of 0.1 s: the meter wakes ten times a second. Timeline's thread only.
final class LoudnessStream {
    private let lane: LoudnessWorker
    private let index: Int
    private let batch: Int
    private var pending: [Float] = []

    /// - Parameters:
    ///   - lane: Measures it.
    ///   - meter: Made for its channels.
    ///   - channels: Of the samples.
    init(_ lane: LoudnessWorker, _ meter: Carried<any LoudnessMetering>, channels: Int) {
        self.lane = lane
        index = lane.add(meter)
        batch = AudioFormat.sessionRate / 10 * channels
    }

    func add(_ samples: [Float]) {
        pending += samples
        if pending.count >= batch { flush() }
    }

    /// No sample follows.
    func finish() { flush() }

    /// As far as it has come.
    var loudness: Loudness { lane.loudness(of: index) }
    /// Of all of it, once the lane has ended; `nil` where some was not measured.
    var whole: Loudness? { lane.whole(index) }

    private func flush() {
        guard !pending.isEmpty else { return }
        lane.add(pending, to: index)
        pending = []
    }
}
