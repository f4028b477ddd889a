internal import Inputs
internal import Media

/// The sinks of the calling program.
struct SessionSinks: Sendable {
    var frames: [FrameTap] = []
    var audio: [AudioTap] = []
    var metadata: [MetadataTap] = []
    var synchronized: [SynchronizedOutput] = []

    /// Starts the handlers' threads, which end after `finish`.
    func start(with codecs: any CodecFactory) -> [MediaThread] {
        frames.map { $0.start(with: codecs) } + audio.map { $0.start() } + metadata.map { $0.start() }
            + synchronized.map { $0.start(with: codecs) }
    }

    /// Ends all sinks: nothing more comes.
    func finish() {
        for tap in frames { tap.finish() }
        for tap in audio { tap.finish() }
        for tap in metadata { tap.finish() }
        for output in synchronized { output.finish() }
    }

    /// Whether a synchronised output needs a camera's frames as pixels.
    func convertsAtTicks(_ role: String) -> Bool {
        synchronized.contains { $0.format != .asCaptured && $0.roles.contains(role) }
    }
}
