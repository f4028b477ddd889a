internal import Glibc
internal import Media

/// The end of a pipe that is written to, which closes once. One thread writes and closes.
final class PipeEnd: Sendable {
    private let number: ConditionLock<Int32?>

    /// Takes ownership of an open descriptor, or of -1, which is none.
    init(owning number: Int32) { self.number = ConditionLock(number >= 0 ? number : nil) }

    deinit { close() }

    /// Writes all of a text. Blocks while the pipe is full.
    ///
    /// - Returns: Whether it was written; `false` when nobody reads any more.
    func write(_ text: String) -> Bool {
        guard let descriptor = number.withLock({ $0 }) else { return false }
        return StandardStreams.write(text, to: descriptor)
    }

    /// Closes it: who reads finds the end.
    func close() {
        if let descriptor = number.withLock({ $0.take() }) { Glibc.close(descriptor) }
    }
}
