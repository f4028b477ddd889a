internal import Glibc

/// An answer of an X server, which XCB has allocated.
struct XReply<Answer>: ~Copyable {
    /// The fixed part of the answer; what follows it is read by XCB's functions.
    let pointer: UnsafeMutablePointer<Answer>

    /// Takes over an answer.
    init(_ memory: UnsafeMutableRawPointer) { pointer = memory.assumingMemoryBound(to: Answer.self) }

    deinit { free(pointer) }
}
