internal import Media

/// Everything that the calling program listens with.
struct SessionSinks: Sendable {
    var pictures: [PictureTap] = []
    var sounds: [SoundTap] = []
    var metadata: [MetadataTap] = []
    var synchronized: [SynchronizedOutput] = []

    /// Starts the handlers' threads; they end after `finish`.
    func start(with machinery: any MediaMachinery) -> [MediaThread] {
        pictures.map { $0.start(with: machinery) } + sounds.map { $0.start() } + metadata.map { $0.start() }
            + synchronized.map { $0.start(with: machinery) }
    }

    /// Nothing more comes.
    func finish() {
        for tap in pictures { tap.finish() }
        for tap in sounds { tap.finish() }
        for tap in metadata { tap.finish() }
        for output in synchronized { output.finish() }
    }

    /// Whether somebody wants a camera's pictures as pixels at ticks.
    func convertsAtTicks(_ role: String) -> Bool {
        synchronized.contains { $0.format != .asCaptured && $0.roles.contains(role) }
    }
}
