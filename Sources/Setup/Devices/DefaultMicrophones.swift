internal import Profiles

/// Decides which of several roles with `default` gets the default microphone: two people with a microphone each must not both be
/// recorded from the first one's. Pure.
///
/// The first role gets the default. Each further one gets a microphone of its own while there are enough; after that it shares
/// the default, and a note says so. Roles that pick channels share it on purpose.
struct DefaultMicrophones {
    static let selector = "default"

    /// All roles, with the selectors to resolve them by.
    private(set) var roles: [RoleAssignment.Role] = []
    /// The roles with `default` that get another microphone.
    private(set) var others: [String] = []
    /// Notes for the user, one sentence each.
    private(set) var notes: [String] = []

    /// Distributes the microphones over the roles.
    ///
    /// - Parameters:
    ///   - wanted: The profile's roles for real microphones, in its order.
    ///   - count: The number of connected microphones.
    ///   - isThereDefault: Whether one of them is the default.
    init(_ wanted: [MicrophoneRole], count: Int, isThereDefault: Bool) {
        // Assumes that each selector that names a device takes one.
        let named = Set(wanted.map(\.device)).subtracting([Self.selector, RoleAssignment.Role.any]).count
        let anyCount = wanted.filter { $0.device == RoleAssignment.Role.any }.count
        var left = count - named - anyCount - 1
        var first: String?
        for role in wanted {
            var selector = role.device
            if selector == Self.selector, role.pick == nil, isThereDefault {
                if let first {
                    if left > 0 {
                        selector = RoleAssignment.Role.any
                        others.append(role.role)
                        left -= 1
                    } else {
                        notes.append(
                            "\(role.role) is recorded from the same microphone as \(first), as no other is free: connect another "
                                + "one and name it with `--mic \(role.role)=…` (`multicam devices` lists them)."
                        )
                    }
                } else {
                    first = role.role
                }
            }
            roles.append(RoleAssignment.Role(name: role.role, selector: selector))
        }
    }
}
