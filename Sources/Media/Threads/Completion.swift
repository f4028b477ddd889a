/// A value that becomes available once, for any number of tasks that wait for it.
package final class Completion<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = ConditionLock(State())

    /// Creates a completion without a value.
    package init() {}

    /// Sets the value and resumes the waiting tasks. Only the first call has an effect.
    package func complete(with value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// The value; `nil` until it is available.
    package var current: Value? { state.withLock(\.value) }

    /// The value, as soon as it is available.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
