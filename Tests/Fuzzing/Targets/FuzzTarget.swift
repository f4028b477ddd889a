/// One way in for bytes from outside, and what must hold of whatever comes that way.
///
/// A crash, a trap, a leak, memory out of proportion and a hang are found by whoever calls it; `check` adds what is more than
/// that. Used by one thread at a time.
protocol FuzzTarget: AnyObject, SendableMetatype {
    /// As `tools/fuzz` and the folder of its corpus call it.
    static var name: String { get }
    /// The longest input that is tried, in bytes: what is longer says nothing new.
    static var limit: Int { get }

    /// - Parameter folder: Empty, in memory, and for this target alone.
    /// - Throws: When what it compares with cannot be made.
    init(folder: String) throws

    /// - Throws: When something does not hold.
    func check(_ bytes: [UInt8]) throws(BrokenRule)
}
