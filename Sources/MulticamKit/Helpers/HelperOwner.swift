/// What a helper process works for. Its functions are called on threads of the helper, and while that holds no lock.
protocol HelperOwner: AnyObject, Sendable {
    /// Calls a body with one line for each thing that is wanted now, as a new process has to hear it. Nothing changes meanwhile.
    func withWishes(_ body: ([String]) -> Void)

    /// Whether the process is to tell something each second now.
    var isToldEachSecond: Bool { get }

    /// Takes a line that the process has told.
    func hear(_ line: String)

    /// The process has died, or was killed since it hung, and is started again.
    ///
    /// - Parameter words: How, as the end of a sentence of which the program is the subject.
    func processHasEnded(_ words: String)

    /// No process can be started until something more is wanted.
    ///
    /// - Parameter text: Why, as a sentence.
    func processIsMissing(_ text: String)
}
