internal import Media

/// Everything that the calling program listens with.
struct SessionSinks: Sendable {
    var frames: [FrameTap] = []
    var audioBlocks: [AudioTap] = []
    var metadata: [MetadataTap] = []
    var synchronized: [SynchronizedOutput] = []

    /// Starts the handlers' threads; they end after `finish`.
    func start(with codecs: any CodecFactory) -> [MediaThread] {
        frames.map { $0.start(with: codecs) } + audioBlocks.map { $0.start() } + metadata.map { $0.start() }
            + synchronized.map { $0.start(with: codecs) }
    }

    /// Nothing more comes.
    func finish() {
        for tap in frames { tap.finish() }
        for tap in audioBlocks { tap.finish() }
        for tap in metadata { tap.finish() }
        for output in synchronized { output.finish() }
    }

    /// Whether somebody wants a camera's frames as pixels at ticks.
    func convertsAtTicks(_ role: String) -> Bool {
        synchronized.contains { $0.format != .asCaptured && $0.roles.contains(role) }
    }
}
