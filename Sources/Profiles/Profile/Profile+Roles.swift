extension Profile {
    /// Checks the roles of a profile that no file holds, whose names become names of files. Those of a file are checked when it
    /// is read.
    ///
    /// - Throws: `ProfileError` when a name is no role's, or two devices have the same.
    package func checkRoles() throws(ProfileError) {
        let places =
            cameras.map { ("cameras", $0.role) } + microphones.map { ("microphones", $0.role) }
        var taken: Set<String> = ["program"]
        guard !places.isEmpty else {
            throw source.error(at: "cameras", found: "no camera and no microphone", expected: "at least one")
        }
        for (field, role) in places {
            guard Self.isRole(role) else {
                throw source.error(at: field, found: "the role “\(role)”", expected: Self.roleRule)
            }
            guard taken.insert(role).inserted else {
                throw source.error(
                    at: field, found: "the role “\(role)”, which is taken",
                    expected: "a name that nothing else has")
            }
        }
    }
}
