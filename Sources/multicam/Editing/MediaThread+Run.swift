import Media

extension MediaThread {
    /// Runs work that takes long on a thread of its own, because Swift tasks must not block.
    static func run<Value: Sendable>(
        named name: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            _ = MediaThread(name: name) {
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
