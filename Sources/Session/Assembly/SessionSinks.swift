internal import Inputs
internal import Media

/// The sinks of the calling program.
struct SessionSinks: Sendable {
    /// The taps, which come and go while the session runs.
    let taps = TapBoard()
    /// Sinks for what several devices captured, which are there from the beginning.
    let synchronized: [SynchronizedOutput]

    /// Starts the handlers' threads, which end after `finish`.
    ///
    /// - Parameters:
    ///   - codecs: Decode what is wanted as pixels.
    ///   - isRealTime: Whether time passes while a tap handles audio.
    /// - Returns: The threads of the synchronized outputs.
    func start(with codecs: any CodecFactory, isRealTime: Bool) -> [MediaThread] {
        taps.start(with: codecs, waitsForSound: !isRealTime)
        return synchronized.map { $0.start(with: codecs) }
    }

    /// Ends all sinks, and waits for their handlers: nothing more comes.
    ///
    /// - Parameter threads: What `start` returned.
    func finish(_ threads: [MediaThread]) {
        for output in synchronized { output.finish() }
        taps.finish()
        for thread in threads { thread.join() }
    }

    /// Whether a synchronised output needs a camera's frames as pixels.
    func convertsAtTicks(_ role: String) -> Bool {
        synchronized.contains { $0.format != .asCaptured && $0.roles.contains(role) }
    }
}
