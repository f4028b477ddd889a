/// The errors of one profile, collected while its file is read, so that a person mends all of them in one go.
final class ProfileProblems {
    private(set) var errors: [ProfileError] = []

    /// The number of errors that are kept, as a file that is no profile at all would have thousands.
    private static let limit = 20

    var isEmpty: Bool { errors.isEmpty }
    var count: Int { errors.count }

    func add(_ error: ProfileError) {
        if errors.count < Self.limit { errors.append(error) }
    }

    /// Runs a step and collects its error.
    ///
    /// - Returns: `nil` where the step failed.
    @discardableResult
    func collecting<Value>(_ step: () throws(ProfileError) -> Value) -> Value? {
        do throws(ProfileError) {
            return try step()
        } catch {
            add(error)
            return nil
        }
    }

    /// Throws the first error in the file's order, with the others in it, if there is any error.
    func throwAny() throws(ProfileError) {
        let sorted = errors.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        guard var first = sorted.first else { return }
        first.others = Array(sorted.dropFirst())
        throw first
    }
}
