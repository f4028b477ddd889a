/// Collects all errors of one profile, so that a person mends them in one go. Belongs to one reading of one file.
final class ProfileProblems {
    private(set) var errors: [ProfileError] = []

    /// A file that is no profile at all would have thousands.
    private static let limit = 20

    var isEmpty: Bool { errors.isEmpty }
    var count: Int { errors.count }

    func add(_ error: ProfileError) {
        if errors.count < Self.limit { errors.append(error) }
    }

    /// Runs a step whose error is collected.
    ///
    /// - Returns: `nil` where it failed.
    @discardableResult
    func collecting<Value>(_ step: () throws(ProfileError) -> Value) -> Value? {
        do throws(ProfileError) {
            return try step()
        } catch {
            add(error)
            return nil
        }
    }

    /// - Throws: The first error in the file's order, with the others, where there is any.
    func throwAny() throws(ProfileError) {
        let sorted = errors.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        guard var first = sorted.first else { return }
        first.others = Array(sorted.dropFirst())
        throw first
    }
}
