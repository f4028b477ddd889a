/// An entry point for untrusted input, and the rules for handling it.
///
/// The fuzzer detects crashes, traps, leaks, excessive memory use, and hangs; `check` tests additional rules.
/// A target is used by one thread at a time.
protocol FuzzTarget: AnyObject, SendableMetatype {
    /// The name used by `tools/fuzz` and the corpus folder.
    static var name: String { get }
    /// The maximum input size in bytes. Longer inputs don't find additional problems.
    static var limit: Int { get }

    /// - Parameter folder: An empty folder in memory, used only by this target.
    /// - Throws: An error if the reference data can't be created.
    init(folder: String) throws

    /// - Throws: An error if a rule is violated.
    func check(_ bytes: [UInt8]) throws(RuleViolation)
}
