/// Why no window is shown: a sentence for the user, and the exit status.
struct PreviewError: Error, Equatable, CustomStringConvertible {
    /// What, where, why, and what to do.
    let description: String
    /// 1 where there is no display or no session runs, 2 for what the session does not have.
    let status: Int32

    init(_ description: String, status: Int32) { (self.description, self.status) = (description, status) }
}
