internal import CXCB
internal import Glibc

/// An answer of an X server, which XCB has allocated. XCB's own functions believe the counts in it; here they are held against its length.
struct XReply<Answer>: ~Copyable {
    /// The fixed part of the answer.
    let pointer: UnsafeMutablePointer<Answer>
    /// What follows the fixed part, readable as long as this answer is held.
    let rest: UnsafeRawBufferPointer

    /// The length of an answer that has nothing more, in bytes.
    private static var shortest: Int { 32 }

    /// Takes over an answer; `nil` when it is shorter than its fixed part.
    ///
    /// - Parameter memory: The answer, as long as its header says, from malloc(3).
    init?(_ memory: UnsafeMutableRawPointer) {
        let words = memory.assumingMemoryBound(to: xcb_generic_reply_t.self).pointee.length
        let length = Self.shortest + Int(words) * 4
        let fixed = max(MemoryLayout<Answer>.size, Self.shortest)
        guard fixed <= length else {
            free(memory)
            return nil
        }
        pointer = memory.assumingMemoryBound(to: Answer.self)
        rest = UnsafeRawBufferPointer(start: memory + fixed, count: length - fixed)
    }

    deinit { free(pointer) }

    /// Reads the numbers that follow the fixed part.
    ///
    /// - Parameters:
    ///   - count: How many there are as the answer says.
    ///   - type: Their type.
    /// - Returns: `nil` when the answer is shorter than that.
    func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
        _ count: Int, _ type: Number.Type
    ) -> [Number]? {
        guard count >= 0, count <= rest.count / MemoryLayout<Number>.size else { return nil }
        return (0..<count).map {
            rest.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Number>.size, as: type)
        }
    }
}
