internal import Media

/// The pressure of queues that do not become empty.
enum QueuePressure {
    /// The share of an encoder's queue that stays filled for a second: from four fifths on no room is left for the ups and downs,
    /// and frames are lost.
    private static let encoder = LevelSteps(fair: 0.2, serious: 0.5, critical: 0.8)
    /// The age of a file's queue in frame intervals: half a second, two, five of a recording at 30 a second. Waiting frames are
    /// lost by a power cut; frames that find no room any more are dropped (`WriteLimits`).
    private static let writer = LevelSteps(fair: 15, serious: 60, critical: 150)

    static func factors(_ queues: [QueueAge]) -> [PressureFactor] {
        let all = queues.map(factor)
        return [PressureFactor.Cause.encoder, .writer].compactMap { cause in
            all.filter { $0.cause == cause }.max { $0.level < $1.level }
        }
    }

    private static func factor(_ queue: QueueAge) -> PressureFactor {
        let behind = "\(Int(rounding: queue.intervals)) frames behind"
        switch queue.kind {
        case .encoder(let room):
            return PressureFactor(
                .encoder, encoder.level(of: queue.intervals / Double(max(room, 1))),
                "the encoder of \(queue.name) is \(behind), with room for \(room)")
        case .writer:
            return PressureFactor(
                .writer, writer.level(of: queue.intervals), "the file \(queue.name) is \(behind)")
        }
    }
}
